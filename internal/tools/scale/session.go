package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	region   = "eu-central-1"
	pageSize = 100 // of the listing (interface 4.2)
)

// sessionBody are the arguments of a session beside its name.
const sessionBody = `  region       = "` + region + `"
  input        = "RTMP_PUSH"
  mode         = "NORM"
  output_mode  = "RTMP_PULL"
  input_preset = { resolution = "HD", bitrate = "MAX_10_MBPS" }
`

// sessionConfig is a configuration with n sessions by count.
func sessionConfig(n int) string {
	return fmt.Sprintf("\nresource \"vodlive_live_session\" \"s\" {\n  count        = %d\n  name         = \"session-${count.index}\"\n%s}\n", n, sessionBody)
}

// Where in the listing the sessions of a configuration are, in the order in which they are asked for.
const (
	listedFirst = "listed first"
	listedLast  = "listed last"
	onePerPage  = "spread" // no two on a page while there are pages
	anywhere    = "random"
)

// positions returns n places in a listing of size sessions.
func positions(size, n int, order string) []int {
	all := make([]int, size)
	for i := range all {
		all[i] = i
	}
	switch order {
	case listedFirst:
	case listedLast:
		slices.Reverse(all)
	case onePerPage:
		slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(pageSize-1-a%pageSize, pageSize-1-b%pageSize) })
		slices.Reverse(all)
	default:
		rand.New(rand.NewPCG(1, 2)).Shuffle(size, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all[:n]
}

// populate gives an account its sessions, n of them under the names of sessionConfig, and returns those n in that order.
func populate(s *service, size, n int, order string) []simulator.SessionRecord {
	names := make([]string, size)
	for i, position := range positions(size, n, order) {
		names[size-1-position] = fmt.Sprintf("session-%d", i) // the listing has the newest first
	}
	for i, name := range names {
		s.AddSession(simulator.SessionRecord{Name: cmp.Or(name, fmt.Sprintf("other-%d", i)), Region: region})
	}
	chosen := make([]simulator.SessionRecord, n)
	for _, r := range s.Sessions() {
		var i int
		if _, err := fmt.Sscanf(r.Name, "session-%d", &i); err == nil {
			chosen[i] = r
		}
	}
	return chosen
}

// instances are sessions as the state has them.
func instances(records []simulator.SessionRecord) []instance {
	list := make([]instance, len(records))
	for i, r := range records {
		list[i] = instance{Index: i, Attributes: attributes(r)}
	}
	return list
}

// attributes are those of a session in the state.
func attributes(r simulator.SessionRecord) json.RawMessage {
	text := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	content, err := json.Marshal(map[string]any{
		"id": r.ID, "name": r.Name, "region": r.Region, "input": r.Input, "mode": r.Mode, "output_mode": r.OutputMode,
		"input_preset":   map[string]any{"codec": r.Codec, "resolution": r.Resolution, "bitrate": r.Bitrate},
		"input_source_a": text(r.InputSourceA), "input_source_b": text(r.InputSourceB),
		"output_destination_a": text(r.OutputDestinationA), "output_destination_b": text(r.OutputDestinationB),
		"enable_input_record": r.EnableInputRecord, "is_scheduled": r.IsScheduled,
		"timezone": text(r.Timezone), "scheduled_at": text(r.ScheduledAt), "status": r.Status,
		"input_endpoint_a": text(r.InputEndpointA), "input_endpoint_b": text(r.InputEndpointB),
		"output_endpoint_a": text(r.OutputEndpointA), "output_endpoint_b": text(r.OutputEndpointB),
		"user_id": text(r.UserID), "transcoder_id": text(r.TranscoderID),
		"sub_domain_a": text(r.SubDomainA), "sub_domain_b": text(r.SubDomainB),
		"elastic_ip_a": text(r.ElasticIPA), "elastic_ip_b": text(r.ElasticIPB),
		"port": r.Port, "egress_port": r.EgressPort,
		"wait_for_status": nil, "replace_on_status": nil, "timeouts": nil,
	})
	if err != nil {
		panic(err) // nothing in it cannot be encoded
	}
	return content
}
