package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const region = "eu-central-1"

// session is the configuration of one; %s is its name, in HCL.
const session = `
  name         = %s
  region       = "` + region + `"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
}
`

// refresh measures plans of sessions in the state that find no change.
func (b *bench) refresh(ctx context.Context) error {
	t := table{
		title: "Refresh",
		text: fmt.Sprintf("`plan` of sessions in the state, %v a call, medians of %d runs. *calls take* is from the first call to the end of the last one; "+
			"*a GET each* is computed: the least that as many GETs can take, ten at a time. The CLI asks for the sessions more slowly than that.", latency, b.runs),
		head: []string{"sessions of account", "plan", "GETs", "pages", "calls take", "a GET each", "CPU", "provider's CPU", "memory"},
	}
	for _, large := range []int{0, 50_000} {
		for _, n := range b.sizes() {
			if err := b.refreshOf(ctx, &t, n, max(n, large)); err != nil {
				return err
			}
		}
	}
	t.print()
	return nil
}

func (b *bench) refreshOf(ctx context.Context, t *table, n, account int) error {
	s, err := serve(simulator.Options{Latency: latency})
	if err != nil {
		return err
	}
	defer s.close()
	for i := range account {
		s.AddSession(simulator.SessionRecord{Name: fmt.Sprintf("session-%d", i), Region: region})
	}
	f, err := b.workdir(s, fmt.Sprintf("resource \"vodlive_live_session\" \"s\" {\n  count = %d", n)+fmt.Sprintf(session, `"session-${count.index * `+strconv.Itoa(account/n)+`}"`))
	if err != nil {
		return err
	}
	defer f.remove()
	if err := f.adopt(ctx, s, n, account/n); err != nil {
		return err
	}
	var span time.Duration
	u, err := b.repeat(func() (usage, error) {
		s.ResetJournal()
		u, err := f.run(ctx, "plan", "-detailed-exitcode", "-lock=false")
		if journal := s.Journal(); len(journal) > 0 {
			span = max(span, journal[len(journal)-1].At.Sub(journal[0].At)+latency)
		}
		return u, err
	})
	if err != nil {
		return err
	}
	each := time.Duration((n+9)/10) * latency
	t.add(fmt.Sprintf("%d of %d", n, account), u.wall, s.Count(simulator.CallGetSession), s.Count(simulator.CallListSessions), span, each, u.cpu, u.provider, u.memory)
	return nil
}

// adopt puts n sessions, every step-th of the account, into the state: their ids by hand, the rest
// by a refresh.
func (f *workdir) adopt(ctx context.Context, s *service, n, step int) error {
	ids := map[string]string{}
	for _, r := range s.Sessions() {
		ids[r.Name] = r.ID
	}
	var instances []any
	for i := range n {
		instances = append(instances, map[string]any{"index_key": i, "schema_version": 0, "attributes": map[string]any{"id": ids[fmt.Sprintf("session-%d", i*step)]}})
	}
	host := "registry.terraform.io"
	if filepath.Base(f.bench.tools.cli) == "tofu" {
		host = "registry.opentofu.org"
	}
	state, err := json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.5.0", "serial": 1, "lineage": "5ca1e000-0000-4000-8000-000000000001",
		"resources": []any{map[string]any{
			"mode": "managed", "type": "vodlive_live_session", "name": "s", "provider": "provider[" + strconv.Quote(host+"/vodlive/vodlive") + "]", "instances": instances,
		}},
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(f.dir, "terraform.tfstate"), state, 0o600); err != nil {
		return err
	}
	_, err = f.run(ctx, "apply", "-refresh-only", "-auto-approve")
	return err
}
