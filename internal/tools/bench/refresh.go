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
	b.result.add(t)
	return b.sensitive(ctx)
}

// sensitive measures plans of many sessions in one object, whose URLs are sensitive, beside plans
// by the same provider without sensitive attributes.
func (b *bench) sensitive(ctx context.Context) error {
	t := table{
		title: "Sensitive values",
		text: fmt.Sprintf("`plan` that finds no change, the sessions and their URLs in the state, medians of %d runs. "+
			"*plain* is the same provider without sensitive attributes. Terraform's time grows with the square of the sensitive values of an object.", b.runs),
		head: []string{"sessions", "plan", "plain", "ratio", "CPU", "plain", "ratio"},
	}
	plain := *b
	plain.tools.provider = b.tools.plain
	for _, row := range []struct {
		name, config string
		sessions     int
	}{
		{"listed by `vodlive_live_sessions`", `data "vodlive_live_sessions" "all" {}`, 1000},
		{"listed by `vodlive_live_sessions`", `data "vodlive_live_sessions" "all" {}`, 5000},
		{"waited for by `vodlive_live_session_status`", `resource "vodlive_live_session_status" "all" { session_ids = jsondecode(file("ids.json")) }`, 300},
	} {
		if row.sessions > b.most {
			continue
		}
		ours, err := b.planOf(ctx, row.config, row.sessions)
		if err != nil {
			return err
		}
		theirs, err := plain.planOf(ctx, row.config, row.sessions)
		if err != nil {
			return err
		}
		t.add(fmt.Sprintf("%d %s", row.sessions, row.name), ours.wall, theirs.wall, ours.wall.Seconds()/theirs.wall.Seconds(),
			ours.cpu, theirs.cpu, ours.cpu.Seconds()/theirs.cpu.Seconds())
	}
	b.result.add(t)
	return nil
}

// planOf applies a configuration in an account of n sessions, whose ids are in ids.json, and plans
// it again.
func (b *bench) planOf(ctx context.Context, config string, n int) (usage, error) {
	s, err := serve(simulator.Options{})
	if err != nil {
		return usage{}, err
	}
	defer s.close()
	var ids []string
	for i := range n {
		ids = append(ids, s.AddSession(simulator.SessionRecord{Name: fmt.Sprintf("session-%d", i), Region: region, Mode: "HA"}))
	}
	f, err := b.workdir(s, config)
	if err != nil {
		return usage{}, err
	}
	defer f.remove()
	list, err := json.Marshal(ids)
	if err != nil {
		return usage{}, err
	}
	if err := os.WriteFile(filepath.Join(f.dir, "ids.json"), list, 0o600); err != nil {
		return usage{}, err
	}
	if _, err := f.run(ctx, "apply", "-auto-approve"); err != nil {
		return usage{}, err
	}
	return b.repeat(func() (usage, error) { return f.run(ctx, "plan", "-detailed-exitcode", "-lock=false") })
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
