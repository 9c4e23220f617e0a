package main

import (
	"strings"
	"testing"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

func TestContinued(t *testing.T) {
	t.Parallel()
	left := simulator.ReportedUpload{KeyPath: "k2", Parts: 9}
	for name, test := range map[string]struct {
		spoil func(*simulator.Report)
		sent  int
		text  string
	}{
		"good":             {func(*simulator.Report) {}, 6, ""},
		"all sent again":   {func(*simulator.Report) {}, 15, "15 parts were sent, although 9 of 15 were stored"},
		"another key path": {func(r *simulator.Report) { r.Objects[0].KeyPath = "k3" }, 6, "k2 does not have the content"},
		"another content":  {func(r *simulator.Report) { r.Objects[0].SHA256 = "abd" }, 6, "k2 does not have the content"},
		"not complete":     {func(r *simulator.Report) { r.Uploads = make([]simulator.ReportedUpload, 1) }, 6, "1 uploads are unfinished"},
	} {
		report := simulator.Report{Objects: []simulator.ReportedObject{{KeyPath: "k2", SHA256: "abc"}}}
		test.spoil(&report)
		requests := []simulator.Request{{Call: simulator.CallPutPart, Status: 403}, {Call: simulator.CallMultipartURL, Status: 200}}
		for range test.sent {
			requests = append(requests, simulator.Request{Call: simulator.CallPutPart, Status: 200})
		}
		sent, err := continued(report, requests, content{sha256: "abc"}, left)
		if test.text == "" && (err != nil || sent != test.sent) {
			t.Errorf("%s: %d, %v", name, sent, err)
		}
		if test.text != "" && (err == nil || !strings.Contains(err.Error(), test.text)) {
			t.Errorf("%s: error %v, want %q", name, err, test.text)
		}
	}
}
