package livesession_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestOtherAccount: in an account in which a session was not found before, a 404 takes nothing out
// of the state.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(w *acctest.World)
		text   string
	}{
		"another address": {
			func(w *acctest.World) { w.Env["VODLIVE_BASE_URL"] = w.VOD.URL() },
			"was last found at http://127.0.0.1:1. It was not found at http://127.0.0.1:2: ",
		},
		"another token": {
			func(w *acctest.World) { w.Env["VODLIVE_ACCESS_TOKEN_ID"] = "another-token-id" },
			"was last found at http://127.0.0.1:1 with another `access_token_id`. It was not found at http://127.0.0.1:1 with the configured one: ",
		},
		"both": {
			func(w *acctest.World) {
				w.Env["VODLIVE_BASE_URL"], w.Env["VODLIVE_ACCESS_TOKEN_ID"] = w.VOD.URL(), "another-token-id"
			},
			"was last found at http://127.0.0.1:1, with another `access_token_id`. It was not found at http://127.0.0.1:2: ",
		},
	} {
		for _, how := range []string{"created", "imported"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"READY"}})
				p := w.Provider(once)
				var o acctest.Instance
				var diags acctest.Diagnostics
				if how == "created" {
					o, diags = p.Create(resourceType, base())
				} else {
					o, diags = p.Import(resourceType, w.AddSession(matchRecord))
				}
				diags.Must(t)

				missing := simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusNotFound}
				w.Fail(missing)
				right := [2]string{w.Env["VODLIVE_BASE_URL"], w.Env["VODLIVE_ACCESS_TOKEN_ID"]}
				tc.change(w)
				other := w.Provider(once)
				after, diags := other.Read(o)
				text := diags.String()
				for _, part := range []string{
					"error : The live session may be in another account: Live session " + o.Text("id") + ` ("match") `, tc.text,
					"404 Not Found", "The state was not changed.", "`terraform state rm`",
				} {
					if !strings.Contains(text, part) {
						t.Errorf("the diagnostics lack %q:\n%s", part, text)
					}
				}
				if rotated := strings.Contains(text, "is a new one of the same account, the session is gone"); rotated != (name == "another token") {
					t.Errorf("what it says of a rotation:\n%s", text)
				}
				if strings.Contains(text, "token-id") || !after.State.Equal(o.State) {
					t.Errorf("%v\n%s", after.State, text)
				}

				// Where it was found, the same answer means that it is gone.
				w.Env["VODLIVE_BASE_URL"], w.Env["VODLIVE_ACCESS_TOKEN_ID"] = right[0], right[1]
				w.RemoveSession(o.Text("id"))
				if gone, diags := w.Provider(once).Read(o); gone.Exists() || diags.Failed() {
					t.Errorf("in its own account: %s", diags)
				}
			})
		}
	}
}

// TestChangeInAnotherAccount: without a refresh, a change creates nothing in an account that does
// not have the session.
func TestChangeInAnotherAccount(t *testing.T) {
	t.Parallel()
	plain := base().With(config{"wait_for_status": []any{}})
	hidden, final := plain.With(config{"endpoints_in_state": false}), plain.With(config{"name": "final"})
	short := final.With(config{"wait_for_status": []any{"READY"}, "timeouts": config{"create": "30s"}})
	for name, tc := range map[string]struct {
		steps []config // the state is that of the last
		then  config
		apply config // what is planned without an error and fails at apply; nil: the plan fails
	}{
		"another name":           {[]config{plain}, final, nil},
		"a name not known yet":   {[]config{plain}, plain.With(config{"name": acctest.Unknown}), final},
		"endpoints in the state": {[]config{hidden}, plain, plain},
		"one more wait":          {[]config{plain, short}, short, short},
	} {
		for variable, value := range map[string]string{"VODLIVE_BASE_URL": "http://127.0.0.1:2", "VODLIVE_ACCESS_TOKEN_ID": "another-token-id"} {
			t.Run(name+", "+variable, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := acctest.NewWorld(t, simulator.Options{StatusPath: []string{"PENDING"}})
					o, diags := w.Provider(once).Create(resourceType, tc.steps[0])
					diags.Must(t)
					for _, c := range tc.steps[1:] { // which creates another session, and waits for it in vain
						o, _ = w.Provider(once).Change(o, c)
					}
					w.Env[variable] = value
					w.Fail(simulator.Fault{Call: simulator.CallGetSession, Status: http.StatusNotFound})
					created := w.Count(simulator.CallCreateSession)
					p := w.Provider(once)
					pl := p.Plan(o, tc.then)
					after, diags := o, pl.Diags
					if tc.apply != nil {
						diags.Must(t)
						pl.Config = tc.apply
						after, diags = p.Apply(pl)
					}
					if text := diags.String(); !strings.Contains(text, "error : The live session may be in another account: Live session "+o.Text("id")) ||
						strings.Count(text, "error ") > 1 || !after.State.Equal(o.State) {
						t.Errorf("%v\n%s", after.State, text)
					}
					w.AssertCalls(t, simulator.CallCreateSession, created)

					// Another address of the same account changes nothing.
					w.ClearFaults()
					w.Env["VODLIVE_ACCESS_TOKEN_ID"] = simulator.DefaultAccessTokenID // the only one that the service takes
					changed, diags := w.Provider(once).Change(o, final.With(config{"region": "us-east-1"}))
					diags.Must(t)
					if w.AssertCalls(t, simulator.CallCreateSession, created+1); changed.Text("id") == o.Text("id") {
						t.Errorf("session %s was not changed", o.Text("id"))
					}
				})
			})
		}
	}
}
