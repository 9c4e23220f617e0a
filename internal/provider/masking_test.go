package provider_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"unicode"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestTextsAreMaskedWhereTheyLeave puts a secret that the provider knows, and characters that
// change a terminal, into everything that a diagnostic may quote.
func TestTextsAreMaskedWhereTheyLeave(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		secret := w.Env["VODLIVE_SECRET_KEY"]
		hostile := secret + "\x1b[2J\u202e"
		p := w.Provider(nil)
		session := attrs{
			"name": "n", "region": hostile, "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
			"input_preset": attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"},
		}
		job := attrs{"paths": []string{"vod/" + hostile}, "service_modes": []string{"video_optimizer"}}
		file := filepath.Join(t.TempDir(), "a "+secret+"\u202e.mp4")
		if err := os.WriteFile(file, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		good, diags := p.Create("vodlive_live_session", session.With(attrs{"region": "eu-central-1"}))
		diags.Must(t)
		w.Fail(simulator.Fault{Call: simulator.CallBatch, BreakAfter: true})

		texts := map[string]func() string{
			"validate": func() string {
				return p.Validate("vodlive_live_session", session.With(attrs{"timezone": hostile})).String()
			},
			"plan":  func() string { return p.Plan(p.New("vodlive_live_session"), session).Diags.String() },
			"apply": func() string { _, diags := p.Create("vodlive_batch_job", job); return diags.String() },
			"read": func() string {
				_, diags := p.Read(good.Edited(func(a acctest.Attrs) { a["id"] = hostile }))
				return diags.String()
			},
			"import":      func() string { _, diags := p.Import("vodlive_media_upload", hostile); return diags.String() },
			"data source": func() string { return read(p, "vodlive_live_session", attrs{"id": hostile}).String() },
			"ephemeral": func() string {
				_, diags := p.Open("vodlive_upload_url", attrs{"file_name": "/" + hostile})
				return diags.String()
			},
			"configure": func() string { return w.Provider(nil).Configure(attrs{"request_timeout": hostile}).String() },
			"action": func() string {
				progress, diags := p.Invoke("vodlive_process_media", attrs{"source": file, "service_modes": []string{"m"}})
				return strings.Join(progress, "\n") + diags.String()
			},
			"list resource": func() string {
				schema := p.Schema.ListResourceSchemas["vodlive_live_session"]
				server := p.Server.(tfprotov6.ListResourceServer)
				resp, err := server.ValidateListResourceConfig(p.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: "vodlive_live_session", Config: p.Config(schema, attrs{"name_regex": "(" + hostile})})
				if err != nil {
					t.Fatal(err)
				}
				return acctest.Diagnostics(resp.Diagnostics).String()
			},
			"function": func() string {
				argument, err := tfprotov6.NewDynamicValue(tftypes.String, tftypes.NewValue(tftypes.String, hostile))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := p.Server.CallFunction(p.Context(), &tfprotov6.CallFunctionRequest{Name: "parse_key_path", Arguments: []*tfprotov6.DynamicValue{&argument}})
				if err != nil || resp.Error == nil {
					t.Fatalf("%+v, %v", resp, err)
				}
				return resp.Error.Text
			},
		}
		for name, text := range texts {
			got := text()
			if !strings.Contains(got, "***") && name != "configure" && name != "function" || strings.Contains(got, secret) {
				t.Errorf("%s: the secret is not masked: %q", name, got)
			}
			if strings.ContainsFunc(got, func(c rune) bool { return c != '\n' && unicode.IsControl(c) || unicode.Is(unicode.Cf, c) }) {
				t.Errorf("%s: characters are not escaped: %q", name, got)
			}
		}
	})
}

// TestGuideOfMaskedSummary: an error leads to its explanation even if its summary has a secret in
// it.
func TestGuideOfMaskedSummary(t *testing.T) {
	t.Parallel()
	w := acctest.NewWorld(t, simulator.Options{})
	w.Env["VODLIVE_SECRET_KEY"] = "does not apply"
	diags := w.Provider(nil).Validate("vodlive_live_session", attrs{
		"name": "n", "region": "eu-central-1", "input": "RTMP_PUSH", "mode": "NORM", "output_mode": "RTMP_PULL",
		"input_preset": attrs{"resolution": "HD", "bitrate": "MAX_10_MBPS"}, "timezone": "UTC",
	})
	if len(diags) != 1 || diags[0].Summary != "An argument ***" || !strings.HasSuffix(diags[0].Detail, "/docs/resources/live_session.md#schema") {
		t.Errorf("got %+v", diags)
	}
}

func eachByte(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

// TestProgressIsMasked: a line of VODLIVE_PROGRESS has the name of a file, which may hold a secret,
// and no escape sequence reaches a terminal.
func TestProgressIsMasked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := acctest.NewWorld(t, simulator.Options{})
		folder := t.TempDir()
		w.Env["VODLIVE_PROGRESS"] = filepath.Join(folder, "progress")
		file := filepath.Join(folder, "secret-garden of "+w.Env["VODLIVE_SECRET_KEY"]+".mp4")
		writeFile(t, file, "content")
		progress, diags := w.Provider(nil).Invoke("vodlive_process_media", attrs{"source": file, "service_modes": []string{"m"}})
		diags.Must(t)
		lines, err := os.ReadFile(w.Env["VODLIVE_PROGRESS"])
		if want := "secret-garden of ***.mp4: 100 %, 7 B of 7 B"; err != nil || !strings.Contains(string(lines), "secret-garden of ***.mp4: stored, 7 B in ") || !strings.Contains(strings.Join(progress, "\n"), want) {
			t.Errorf("got %q and %q, %v", lines, progress, err)
		}
	})
}

// TestProgressThatCannotBeShown: a plan and an apply say so.
func TestProgressThatCannotBeShown(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for path, warns := range map[string]bool{folder: true, os.DevNull: true, filepath.Join(folder, "no", "folder"): true, filepath.Join(folder, "progress"): false, "": false} {
		diags := acctest.NewProvider(t, map[string]string{"VODLIVE_PROGRESS": path}).Configure(nil)
		text := diags.String()
		if strings.Contains(text, "error") || strings.Contains(text, "warning : The progress of uploads is not shown") != warns || strings.Contains(text, "tail -f") != warns {
			t.Errorf("%q: %s", path, text)
		}
	}
}
