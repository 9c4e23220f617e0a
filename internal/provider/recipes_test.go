package provider_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestTreeIsCopied plans and applies in copies of a configuration, as Terragrunt and services that
// clone before each run do.
func TestTreeIsCopied(t *testing.T) {
	t.Parallel()
	server := acctest.Start(t, simulator.Options{})
	cli := acctest.NewCLI(t, server)
	media := filepath.Join(t.TempDir(), "promo.mp4") // get_terragrunt_dir() and a path from there
	writeFile(t, media, "promo")
	configurations := blocks(t, "remote-runs.md", "terraform")
	module := configurations[len(configurations)-1]
	if !strings.Contains(module, "var.media") {
		t.Fatalf("the guide has changed: %s", module)
	}
	cli.Setenv("TF_VAR_media", filepath.ToSlash(media))
	fill := func() {
		cli.Config(module + `
resource "vodlive_media_upload" "copied" {
  source = "media/clip.mp4"
}
resource "vodlive_media_folder" "copied" {
  source_dir = "media"
}
`)
		cli.Write("media/clip.mp4", "clip") // a copy has its own times
	}
	fill()
	cli.Must("apply", "-auto-approve")
	server.AssertCalls(t, simulator.CallPutObject, 3)
	state := readFile(t, filepath.Join(cli.Dir, "terraform.tfstate"))
	cli.Dir = t.TempDir()
	cli.Write("terraform.tfstate", state) // in place of a backend
	fill()
	cli.AssertNoChanges()
	server.AssertCalls(t, simulator.CallPutObject, 3)
}

// recipe is the first block of a page that contains text.
func recipe(t *testing.T, page, language, text string) string {
	t.Helper()
	for _, block := range blocks(t, page, language) {
		if strings.Contains(block, text) {
			return block
		}
	}
	t.Fatalf("%s has no block with %s", page, text)
	return ""
}

// TestWeeklyEvent follows the page from the first apply to the end of the season. Each week makes
// one session at most, and changes no other.
func TestWeeklyEvent(t *testing.T) {
	t.Parallel()
	var now atomic.Int64
	at := func(date string) {
		day, err := time.Parse(time.RFC3339, date)
		if err != nil {
			t.Fatal(err)
		}
		now.Store(day.Unix())
	}
	at("2040-01-01T12:00:00Z")
	server := acctest.Start(t, simulator.Options{Clock: func() time.Time { return time.Unix(now.Load(), 0) }})
	cli := acctest.NewCLI(t, server)
	config := recipe(t, "weekly-event.md", "terraform", "variable \"first\"")
	addresses, _, found := strings.Cut(recipe(t, "weekly-event.md", "hcl", "compact("), "\nresource ")
	lines := strings.Split(strings.TrimSpace(recipe(t, "weekly-event.md", "hcl", "18:15")), "\n")
	if !found || len(lines) != 2 {
		t.Fatal("the page has changed")
	}
	firewall := addresses + `
resource "terraform_data" "firewall" { # in place of a firewall's own
  input = [for address in local.addresses : "${address}/32"]
}
`
	cli.Config(config + firewall)
	cli.Setenv("TF_VAR_stream_key", "key")
	sessions := func() map[string]map[string]any {
		found := map[string]map[string]any{}
		for address, object := range cli.State() {
			if _, date, isMatch := strings.Cut(address, "vodlive_live_session.match["); isMatch {
				found[strings.Trim(date, `"]`)] = object.Values
			}
		}
		return found
	}
	playback := func() (urls map[string][]string) {
		if err := json.Unmarshal([]byte(cli.Must("output", "-json", "playback").Output), &urls); err != nil {
			t.Fatal(err)
		}
		return urls
	}
	cli.Must("apply", "-auto-approve")
	before := sessions()
	if len(before) != 4 || len(playback()["2040-01-04"]) != 0 {
		t.Fatalf("the first apply made %v with %v", before, playback())
	}

	// The day of the match, between the start of the session and that of the match.
	at("2040-01-04T19:20:00Z")
	cli.Must("apply", "-auto-approve")
	rule, _ := cli.State()["terraform_data.firewall"].Values["output"].([]any)
	if urls := playback(); len(urls["2040-01-04"]) != 2 || len(urls["2040-01-11"]) != 0 || len(rule) != 2 {
		t.Errorf("on the day of the match: %v, addresses %v", urls, rule)
	}

	// Another source is refused, for all matches. One match is moved.
	cli.Config(strings.ReplaceAll(config, "encoder-a", "encoder-c") + firewall)
	if r := cli.Run("plan"); r.Code == 0 || strings.Count(r.Flat(), "live session is protected from deletion") != 4 {
		t.Errorf("a plan that changes every match ends with %d\n%s", r.Code, r.Output)
	}
	moved := config
	for _, line := range lines {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		moved = regexp.MustCompile(`(?m)^  `+name+` +=.*$`).ReplaceAllLiteralString(moved, "  "+strings.TrimSpace(line))
	}
	cli.Config(moved + firewall)
	cli.Must("apply", "-auto-approve")
	moved = strings.Replace(moved, `each.key != "2040-01-18" && `, "", 1)
	cli.Config(moved + firewall)
	cli.Must("apply", "-auto-approve")
	cli.AssertNoChanges()
	after := sessions()
	for date, session := range after {
		if same := before[date]["id"] == session["id"]; same == (date == "2040-01-18") || session["deletion_protection"] != true {
			t.Errorf("after one match was moved, %s has %v", date, session)
		}
	}
	if start := after["2040-01-18"]["scheduled_at"]; start != "2040-01-18 18:15" {
		t.Errorf("the match was moved to %v", start)
	}

	// To the end of the season, and two weeks more. A match that is to come is not given up.
	const matches, more = 9, 2
	before = after
	for i := 1; i < matches+more; i++ {
		week := time.Date(2040, 1, 4, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*i)
		at(week.AddDate(0, 0, -6).Format(time.RFC3339))
		if i == 2 {
			cli.Setenv("TF_VAR_week", "2040-02-22")
			if r := cli.Run("plan"); r.Code == 0 || !strings.Contains(r.Flat(), "protected from deletion") {
				t.Errorf("a plan that gives up the next match ends with %d\n%s", r.Code, r.Output)
			}
		}
		cli.Setenv("TF_VAR_week", week.Format(time.DateOnly))
		cli.Must("apply", "-auto-approve")
		cli.AssertNoChanges()
		after = sessions()
		if want := min(5, matches-i+1); len(after) != max(want, 0) || len(server.Sessions()) != min(i+4, matches)+1 {
			t.Errorf("%s: the state has %d sessions, the service %d", week, len(after), len(server.Sessions()))
		}
		for date, session := range after {
			if old, found := before[date]; found && old["id"] != session["id"] {
				t.Errorf("%s: %s is another session", week, date)
			}
			if start, _ := session["scheduled_at"].(string); date != "2040-01-18" && start != date+" 20:15" {
				t.Errorf("%s: %s starts at %s", week, date, start)
			}
			if protected := session["deletion_protection"]; protected != (date >= week.Format(time.DateOnly)) {
				t.Errorf("%s: %s is protected: %v", week, date, protected)
			}
		}
		before = after
	}
	cli.Must("destroy", "-auto-approve")
}

// TestPoliciesWithOPA evaluates the rules of the guide, with its command, for plans that give up a
// session and for one that does not.
func TestPoliciesWithOPA(t *testing.T) {
	t.Parallel()
	opa, err := exec.LookPath("opa")
	if err != nil {
		t.Skip("no opa")
	}
	server := acctest.Start(t, simulator.Options{StatusPath: []string{"READY"}})
	cli := acctest.NewCLI(t, server)
	cli.Write("sessions.rego", strings.Join(blocks(t, "policies.md", "rego"), "\n"))
	_, command, found := strings.Cut(recipe(t, "policies.md", "sh", "opa eval"), "\nopa ")
	if !found {
		t.Fatal("the guide has changed")
	}
	session := func(name string) string {
		return fmt.Sprintf("resource \"vodlive_live_session\" \"studio\" {\n  name = %q\n  region = \"eu-central-1\"\n  input = \"RTMP_PUSH\"\n  mode = \"NORM\"\n"+
			"  output_mode = \"RTMP_PULL\"\n  input_preset = { resolution = \"HD\", bitrate = \"MAX_10_MBPS\" }\n}\n", name)
	}
	jobs := func(count int) string {
		return fmt.Sprintf("resource \"vodlive_batch_job\" \"job\" {\n  count = %d\n  paths = [\"vod/input/c/u/${count.index}.mp4\"]\n  service_modes = [\"a\"]\n}\n", count)
	}
	cli.Config(session("a"))
	cli.Must("apply", "-auto-approve")
	for name, tc := range map[string]struct{ config, denied string }{
		"nothing changes":   {session("a"), ""},
		"50 jobs":           {session("a") + jobs(50), ""},
		"51 jobs":           {session("a") + jobs(51), "51 batch jobs may be submitted"},
		"a new session":     {session("b"), "vodlive_live_session.studio may get a new session"},
		"a destroy":         {"", "vodlive_live_session.studio leaves the state"},
		"a session is kept": {session("a") + "output \"x\" {\n  value = 1\n}\n", ""},
	} {
		cli.Config(tc.config)
		cli.Must("plan", "-out=tfplan")
		cli.Write("tfplan.json", cli.Must("show", "-json", "tfplan").Output)
		policy := exec.CommandContext(t.Context(), "sh", "-c", "'"+opa+"' "+command)
		policy.Dir = cli.Dir
		out, err := policy.CombinedOutput()
		if denied := tc.denied != ""; (err != nil) != denied || denied && !strings.Contains(string(out), tc.denied) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestFlagsOfTheSimulator: the page on tests has all of them, with their defaults.
func TestFlagsOfTheSimulator(t *testing.T) {
	t.Parallel()
	page := guide(t, "testing.md")
	flags := regexp.MustCompile(`flags\.\w+Var\(&\S+, "([a-z-]+)"`).FindAllStringSubmatch(readFile(t, "../simulator/cmd/main.go"), -1)
	rows := regexp.MustCompile("(?m)^\\| (`-.*?) \\|").FindAllString(page, -1)
	named := 0
	for _, row := range rows {
		named += strings.Count(row, "`-")
	}
	if len(flags) < 9 || named != len(flags) {
		t.Errorf("the page has %d flags, the simulator %d", named, len(flags))
	}
	for _, flag := range flags {
		if !strings.Contains(page, "`-"+flag[1]+"`") {
			t.Errorf("the page lacks -%s", flag[1])
		}
	}
}
