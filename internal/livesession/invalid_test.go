package livesession_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

const source, source2 = "rtmp://origin.example.com/app/s3cret", "rtmps://backup.example.com:8443/app/s3cret"

// validate returns what `terraform validate` says of a session.
func validate(t *testing.T, c config) []string {
	t.Helper()
	s, schema := server(t)
	resp, err := s.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{
		TypeName: "vodlive_live_session",
		Config:   dynamic(t, schema.ResourceSchemas["vodlive_live_session"].ValueType(), c),
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts(resp.Diagnostics)
}

func TestInvalidConfigurations(t *testing.T) {
	t.Parallel()
	for _, tt := range invalid {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := validate(t, base().with(tt.change))
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if !slices.Equal(got, want) {
				t.Errorf("got:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
			for _, text := range got {
				if strings.Contains(text, "s3cret") || strings.Contains(text, "example.org") {
					t.Errorf("a sensitive value is shown: %s", text)
				}
			}
		})
	}
}
