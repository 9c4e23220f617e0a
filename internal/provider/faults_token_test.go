package provider_test

import (
	"errors"
	"log"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

const (
	firstToken  = "first-identity-token-8c1d"
	secondToken = "second-identity-token-3b7e"
)

// commandOfFile, as first argument, makes this test binary a token command: it counts its run in
// one file, and prints the other.
const commandOfFile = "token-of-file"

func TestMain(m *testing.M) {
	if len(os.Args) != 4 || os.Args[1] != commandOfFile {
		os.Exit(m.Run())
	}
	runs, err := os.ReadFile(os.Args[2])
	if err != nil && !os.IsNotExist(err) {
		log.Fatal(err)
	}
	token, unread := os.ReadFile(os.Args[3])
	if err := errors.Join(unread, os.WriteFile(os.Args[2], append(runs, '.'), 0o600)); err != nil {
		log.Fatal(err)
	}
	_, _ = os.Stdout.Write(token)
}

// statuses are the answers to a call in order of arrival.
func statuses(w *acctest.World, call string) (all []int) {
	for _, r := range w.Journal() {
		if r.Call == call {
			all = append(all, r.Status)
		}
	}
	return all
}

// withoutToken is a world whose environment has no identity token.
func withoutToken(t *testing.T, options simulator.Options) *acctest.World {
	t.Helper()
	w := acctest.NewWorld(t, options)
	delete(w.Env, "VODLIVE_ID_TOKEN")
	return w
}

func TestTokenFileIsReadAgainOnceAfterA401(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	writeFile(t, file, firstToken+"\n")
	w := withoutToken(t, simulator.Options{IDToken: firstToken})
	p := w.Provider(attrs{"id_token_file": file, "max_retries": 1})
	if diags := upload(t, p, "single"); len(diags) > 0 {
		t.Fatal(diags)
	}
	w.SetIDToken(secondToken)

	// The file has not been renewed yet: it is read again, once, and what it holds is tried, once.
	diags := upload(t, p, "single")
	if text := diags.String(); !diags.Failed() || !strings.Contains(text, "401 Unauthorized") || !strings.Contains(text, "`id_token_file`") {
		t.Errorf("diagnostics: %s", text)
	}
	writeFile(t, file, secondToken)
	if diags := upload(t, p, "single"); len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := statuses(w, simulator.CallPresignURL); !slices.Equal(got, []int{200, 401, 401, 401, 200}) {
		t.Errorf("the answers were %v", got)
	}
	s := secrets{}
	s.add("first token", firstToken)
	s.add("second token", secondToken)
	s.absentFrom(t, "a diagnostic", diags.String())
	s.absentFrom(t, "the log", w.Log.String())
}

// TestOneRefreshServesAllPartsInFlight has the token expire while four parts, and ahead of its turn
// the next one, ask for their addresses.
func TestOneRefreshServesAllPartsInFlight(t *testing.T) {
	t.Parallel()
	const mib, inFlight = 1 << 20, 4 // addresses are asked for ahead only after the first response
	folder := t.TempDir()
	token, runs := filepath.Join(folder, "token"), filepath.Join(folder, "runs")
	writeFile(t, token, firstToken)
	w := withoutToken(t, simulator.Options{IDToken: firstToken})
	p := w.Provider(attrs{
		"id_token_command": []string{os.Args[0], commandOfFile, runs, token}, "upload_concurrency": inFlight, "max_retries": 0,
	})
	file := filepath.Join(folder, "clip.mp4")
	writeFile(t, file, strings.Repeat("0123456789abcdef", 5*inFlight*mib/16+1))
	hold := w.Hold(simulator.CallMultipartURL, nil)
	done := make(chan acctest.Diagnostics, 1)
	go func() {
		_, diags := p.Create("vodlive_media_upload", attrs{"source": file, "method": "multipart", "part_size": 5 * mib, "change_detection": "stat"})
		done <- diags
	}()
	if err := hold.Arrived(t.Context(), inFlight); err != nil {
		t.Fatal(err)
	}
	writeFile(t, token, secondToken)
	w.SetIDToken(secondToken)
	hold.Release()
	if diags := <-done; len(diags) > 0 {
		t.Fatal(diags)
	}
	refused := 0
	for _, status := range statuses(w, simulator.CallMultipartURL) {
		if status == http.StatusUnauthorized {
			refused++
		}
	}
	if refused != inFlight {
		t.Errorf("%d requests were answered 401, want %d", refused, inFlight)
	}
	if content, err := os.ReadFile(runs); err != nil || len(content) != 2 {
		t.Errorf("the command ran %d times, want one for the first token and one for all parts (%v)", len(content), err)
	}
	if objects := w.Objects(); len(objects) != 1 || objects[0].Parts != inFlight+1 {
		t.Errorf("objects %+v", objects)
	}
}

// TestTokensThatThePlanRefuses: an upload that could not be made is found while planning, before
// any request.
func TestTokensThatThePlanRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(folder, name)
		writeFile(t, path, content)
		return path
	}
	expired, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"exp": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Unix()}).SignedString([]byte("key"))
	if err != nil {
		t.Fatal(err)
	}
	missing, big := filepath.Join(folder, "missing"), file("big", strings.Repeat("0123456789", 1<<20))
	for name, tc := range map[string]struct {
		env    map[string]string
		config attrs
		text   []string
	}{
		"file missing":            {config: attrs{"id_token_file": missing}, text: []string{"`id_token_file`", missing, "does not exist"}},
		"file of a variable":      {env: map[string]string{"VODLIVE_ID_TOKEN_FILE": missing}, text: []string{"VODLIVE_ID_TOKEN_FILE", missing, "does not exist"}},
		"file empty":              {config: attrs{"id_token_file": file("empty", " \n")}, text: []string{"`id_token_file`", "is empty"}},
		"folder":                  {config: attrs{"id_token_file": folder}, text: []string{"`id_token_file`", "is a folder"}},
		"10 MB":                   {config: attrs{"id_token_file": big}, text: []string{"`id_token_file`", "longer than 64 KiB"}},
		"file with a header":      {config: attrs{"id_token_file": file("header", "token-in-file-5\r\nX-Evil: 1")}, text: []string{"`id_token_file`", "control character"}},
		"file with an old token":  {config: attrs{"id_token_file": file("old", expired+"\n")}, text: []string{"`id_token_file`", "expired at 2026-01-02T03:04:05Z"}},
		"old token":               {config: attrs{"id_token": expired}, text: []string{"`id_token`", "expired at 2026-01-02T03:04:05Z"}},
		"old token in a variable": {env: map[string]string{"VODLIVE_ID_TOKEN": "Bearer " + expired}, text: []string{"VODLIVE_ID_TOKEN", "expired at 2026-01-02T03:04:05Z"}},
		"token outside of ASCII":  {config: attrs{"id_token": "tökén-in-config"}, text: []string{"`id_token`", "outside ASCII"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withoutToken(t, simulator.Options{})
			maps.Copy(w.Env, tc.env)
			p := w.Provider(tc.config)
			for typ, config := range map[string]attrs{
				"vodlive_media_upload": clip(t, "auto"),
				"vodlive_batch_job":    {"paths": []string{"vod/input/c/u/f.mp4"}, "service_modes": []string{"video_optimizer"}},
			} {
				diags := p.Plan(p.New(typ), config).Diags
				text := diags.String()
				if !diags.Failed() {
					t.Errorf("%s: the plan has no error: %s", typ, text)
				}
				for _, part := range append(tc.text, "The identity token cannot be used", typ) {
					if !strings.Contains(text, part) {
						t.Errorf("%s: the diagnostics lack %q: %s", typ, part, text)
					}
				}
				for _, leak := range []string{expired, "0123456789", "token-in-file-5", "tökén-in-config"} {
					if strings.Contains(text+w.Log.String(), leak) {
						t.Errorf("%s: the token shows: %s", typ, text)
					}
				}
			}
			if n := len(w.Journal()); n > 0 {
				t.Errorf("%d requests were made", n)
			}
		})
	}
}
