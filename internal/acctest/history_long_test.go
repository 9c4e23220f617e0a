package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestLongLife plays a run of Terraform a day for a virtual year. The account grows to 20,000
// sessions, the identity token is renewed each day, and each week a run is killed in the middle of
// an upload. What a run allocates and how many requests it makes must not grow with the account,
// nor the files in resume_dir with time.
func TestLongLife(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	if os.Getenv("HISTORY_SOAK") == "" {
		t.Skip("make soak plays it")
	}
	const days, account = 364, 20_000
	week := []Step{
		{Do: DoApply, On: "small.mp4"},                                    // with another version of this file
		{Do: DoApply, On: "big.mp4", During: []Step{{Do: DoKill, At: 5}}}, // in the middle of its upload
		{Do: DoApply},
		{Do: DoPlan},
		{Do: DoReplace, On: "session.a"},
		{Do: DoApply, On: "media/a.mp4"},
		{Do: DoRefresh},
	}
	type cost struct{ bytes, requests int }
	costs := map[string][]cost{} // by step, of all weeks
	synctest.Test(t, func(t *testing.T) {
		rec, day := &recorder{TB: t}, 0
		defer func() { // a failure ends this goroutine
			if text := rec.text(); text != "" {
				t.Errorf("on day %d: %s", day, text)
			}
		}()
		p := newPlayer(rec, History{Service: Service{TokenFile: true}})
		pl := p.places[0]
		for _, address := range []string{"session.a", "upload.small", "upload.big", "folder.one"} {
			pl.configure(address, 1)
		}
		for ; day < days; day++ {
			for range account / days {
				p.before[p.at[0].AddSession(simulator.SessionRecord{Name: "of somebody else"})] = true
			}
			token := fmt.Sprint(firstToken, day)
			p.at[0].SetIDToken(token)
			if err := os.WriteFile(pl.machine.token(0), []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
			s := week[day%len(week)]
			if filepath.Ext(s.On) == ".mp4" {
				pl.machine.write(s.On, 1+day/len(week)%3)
			}
			p.at[0].ResetJournal()
			p.begin()
			p.sent, p.hard = s, true
			r := p.newRun(pl)
			remove := p.strike(s.During, r)
			before := allocated()
			p.terraform(r, s, nil)
			spent := allocated() - before
			remove()
			p.finish(r)
			p.check()
			p.story.Reset()
			name := fmt.Sprintf("%s %s", s.Do, s.On)
			costs[name] = append(costs[name], cost{spent, len(p.news())})
			records, _ := filepath.Glob(filepath.Join(pl.machine.records, "*", "*"))
			if len(records) > 30 {
				t.Fatalf("on day %d, resume_dir has %d files: %q", day, len(records), records)
			}
			time.Sleep(24 * time.Hour)
		}
	})
	for name, all := range costs {
		mean := func(weeks []cost) (c cost) {
			for _, week := range weeks {
				c.bytes += week.bytes / len(weeks)
				c.requests += week.requests
			}
			return c
		}
		first, last := mean(all[3:13]), mean(all[len(all)-10:])
		t.Logf("%-22s %5d KiB at first, %5d KiB in the end; %d and %d requests in ten weeks", name, first.bytes>>10, last.bytes>>10, first.requests, last.requests)
		if last.bytes > first.bytes*3/2 || last.requests > first.requests*3/2 {
			t.Errorf("%s costs more in the end", name)
		}
	}
}

// allocated is how many bytes this process has allocated so far.
func allocated() int {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.TotalAlloc)
}
