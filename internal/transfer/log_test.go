package transfer_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/vodlive/terraform-provider-vodlive/internal/redact"
)

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	ctx := redact.New().Log(tflogtest.RootLogger(t.Context(), &out))
	f, _ := newFile(t, 1000)
	s, urls := &store{}, &addresses{}
	s.rule = func(a *attempt, _ *http.Request) (*http.Response, error) {
		if a.Nth == 1 {
			return answer(403, "no "+a.URL), nil
		}
		return nil, nil
	}
	if _, err := newEngine(s).UploadSingle(ctx, f, urls.next, ""); err != nil {
		t.Fatal(err)
	}
	entries, err := tflogtest.MultilineJSONDecode(&out)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for i, status := range []float64{403, 200} {
		e := entries[i]
		if e["@level"] != "debug" || e["bytes"] != 1000.0 || e["status"] != status || e["duration_ms"] == nil {
			t.Errorf("entry %v", e)
		}
	}
	if strings.Contains(out.String(), secret) {
		t.Error("a log line shows the signature")
	}
}
