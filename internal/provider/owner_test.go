package provider_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/vodlive/terraform-provider-vodlive/internal/acctest"
	"github.com/vodlive/terraform-provider-vodlive/internal/simulator"
)

// TestOwnerIsWhereTheStateIs: a run knows what an earlier one with the same state has made, whoever
// it asks as. `terraform init` notes the backend.
func TestOwnerIsWhereTheStateIs(t *testing.T) {
	t.Parallel()
	type run struct {
		backend string
		env     map[string]string
	}
	const (
		http = `{"type": "http", "hash": 1, "config": {"address": "https://state.example/a", "username": null}}`
		pg   = `{"type": "pg", "hash": 1, "config": {"conn_str": null}}`
	)
	for name, tt := range map[string]struct {
		first, second run
		same          bool
	}{
		"no backend":          {run{}, run{}, true},
		"local, written out":  {run{}, run{backend: `{"type": "local", "hash": 1, "config": {"path": null, "workspace_dir": null}}`}, true},
		"local, another path": {run{}, run{backend: `{"type": "local", "hash": 1, "config": {"path": "b.tfstate"}}`}, false},
		"another password": {
			run{backend: `{"type": "http", "hash": 1, "config": {"address": "https://state.example/a", "username": "ci", "password": "1"}}`},
			run{backend: `{"type": "http", "hash": 2, "config": {"address": "https://state.example/a", "username": "job", "password": "2"}}`},
			true,
		},
		"a token in place of keys, below": {
			run{backend: `{"type": "s3", "hash": 1, "config": {"bucket": "b", "access_key": "1", "secret_key": "1", "assume_role": {"role_arn": "r", "session_name": "1"}}}`},
			run{backend: `{"type": "s3", "hash": 2, "config": {"bucket": "b", "token": "2", "assume_role": {"role_arn": "r", "session_name": "2"}}}`},
			true,
		},
		"another key": {
			run{backend: `{"type": "s3", "hash": 1, "config": {"bucket": "b", "key": "staging"}}`},
			run{backend: `{"type": "s3", "hash": 1, "config": {"bucket": "b", "key": "production"}}`},
			false,
		},
		"another user of a database": {
			run{backend: `{"type": "pg", "hash": 1, "config": {"conn_str": "postgres://v-1:secret@db.example/state"}}`},
			run{backend: `{"type": "pg", "hash": 2, "config": {"conn_str": "postgres://v-2:secret@db.example/state"}}`},
			true,
		},
		"another user, in a variable":     {run{pg, map[string]string{"PG_CONN_STR": "postgres://v-1:a@db/state"}}, run{pg, map[string]string{"PG_CONN_STR": "postgres://v-2:b@db/state"}}, true},
		"another database, in a variable": {run{pg, map[string]string{"PG_CONN_STR": "postgres://v@db/staging"}}, run{pg, map[string]string{"PG_CONN_STR": "postgres://v@db/production"}}, false},
		"another schema, in a variable":   {run{pg, map[string]string{"PG_SCHEMA_NAME": "staging"}}, run{backend: pg}, false},
		"another address, in a variable":  {run{backend: http}, run{http, map[string]string{"TF_HTTP_ADDRESS": "https://state.example/b"}}, false},
		"a variable of another tool":      {run{env: map[string]string{"KUBE_CTX": "staging"}}, run{env: map[string]string{"KUBE_CTX": "production", "PG_CONN_STR": "x"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := acctest.NewWorld(t, simulator.Options{})
				w.Dir = t.TempDir()
				noted, env := filepath.Join(w.Dir, ".terraform", "terraform.tfstate"), maps.Clone(w.Env)
				begin := func(r run) *acctest.Provider {
					if r.backend != "" {
						writeFile(t, noted, `{"version": 3, "backend": `+r.backend+`}`)
					}
					w.Env = maps.Clone(env)
					maps.Copy(w.Env, r.env)
					return w.Provider(nil)
				}
				if err := os.Mkdir(filepath.Dir(noted), 0o700); err != nil {
					t.Fatal(err)
				}
				p := begin(tt.first)
				p.Create("vodlive_live_session", match)
				p.End() // no state has it
				_, diags := begin(tt.second).Create("vodlive_live_session", match)
				if told := diags.Failed(); told != tt.same || len(w.Sessions()) == 1 != tt.same {
					t.Errorf("%d sessions: %s", len(w.Sessions()), diags)
				}
			})
		})
	}
}
