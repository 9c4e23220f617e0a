package livesession

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

const (
	// recoverWithin limits the listing after a create whose outcome is not known.
	recoverWithin = 2 * time.Minute
	// secondLook is when the listing is read again if it shows no such session:
	// the service may still have been at work when its answer was lost.
	secondLook = 3 * time.Second
)

// createFailed turns the failure of a create into a diagnostic. When the session
// may have been made all the same, it looks for it in the listing, so that the
// user can import it instead of making a second one.
func (r *liveSession) createFailed(ctx context.Context, spec api.SessionSpec, err error) diag.Diagnostic {
	failed := providerdata.ErrorDiagnostic("Creating the live session", err)
	if !api.MayHaveBeenProcessed(err) {
		return failed
	}
	const unsure = "The live session may have been created"
	lost := "The request went out and its outcome is not known. It was not sent again, so that no second session is made."
	if ctx.Err() != nil {
		return diag.NewErrorDiagnostic(unsure, fmt.Sprintf("%s\n\n%s The run was interrupted, so the provider did not look for it: before you apply again, %s",
			failed.Detail(), lost, lookFor(spec)))
	}
	ctx, cancel := context.WithTimeout(ctx, recoverWithin)
	defer cancel()
	candidates, listErr := r.candidates(ctx, spec)
	if listErr == nil && len(candidates) == 0 && pause(ctx, secondLook) {
		r.data.Sessions.Wrote()
		candidates, listErr = r.candidates(ctx, spec)
	}
	switch {
	case listErr != nil:
		return diag.NewErrorDiagnostic(unsure, fmt.Sprintf("%s\n\n%s Looking for it failed, too: %s.\n\nBefore you apply again, %s",
			failed.Detail(), lost, strings.TrimSuffix(listErr.Error(), "."), lookFor(spec)))
	case len(candidates) == 0:
		return diag.NewErrorDiagnostic(failed.Summary(), fmt.Sprintf("%s\n\n%s The listing of the account's sessions shows none with these arguments "+
			"that this run did not know: no session was made, and applying again is safe.", failed.Detail(), lost))
	default:
		return diag.NewErrorDiagnostic(unsure, fmt.Sprintf("%s\n\n%s %s", failed.Detail(), lost, found(candidates)))
	}
}

// pause waits, and tells whether it did to the end.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// candidates are the sessions that match every argument, less those that this
// run made or had in its state: the service shows no time of creation by which
// to tell a new session from an old one.
func (r *liveSession) candidates(ctx context.Context, spec api.SessionSpec) ([]*api.Session, error) {
	var list []*api.Session
	for s, err := range r.data.Sessions.All(ctx) {
		if err != nil {
			return nil, err
		}
		if len(differing(spec, s)) == 0 && !r.data.Sessions.Owns(s.ID) {
			list = append(list, s)
		}
	}
	return list, nil
}

// lookFor says which session to look for. Sources and destinations are secrets.
func lookFor(spec api.SessionSpec) string {
	return fmt.Sprintf("list the account's sessions (data source vodlive_live_sessions) and look for one named %q in region %s with input %s, mode %s and output mode %s. "+
		"If it is there, import it with an `import` block; if it is not, applying again is safe.", spec.Name, spec.Region, spec.Input, spec.Mode, spec.OutputMode)
}

// found names the candidates, with the import block of each.
func found(candidates []*api.Session) string {
	var b strings.Builder
	if len(candidates) == 1 {
		b.WriteString("One session of the account has exactly these arguments. Unless it is managed elsewhere or was there before, it is the one: " +
			"import it, with the resource's own address, and apply again.")
	} else {
		fmt.Fprintf(&b, "%d sessions of the account have exactly these arguments. One of them may be the one: find out which is not managed elsewhere "+
			"and was not there before, import it, with the resource's own address, and apply again.", len(candidates))
	}
	for _, s := range candidates {
		fmt.Fprintf(&b, "\n\n# status %s\nimport {\n  to = %s.NAME\n  id = %q\n}", s.Status, typeName, s.ID)
	}
	return b.String()
}

// differing names the arguments in which a session is not what was asked for. A
// value that the service did not send is no difference where it may leave it
// out.
func differing(spec api.SessionSpec, s *api.Session) []string {
	var names []string
	compare := func(name, want, got string, optional bool) {
		if want != got && (got != "" || !optional) {
			names = append(names, name)
		}
	}
	compare("name", spec.Name, s.Name, false)
	compare("region", spec.Region, s.Region, false)
	compare("input", spec.Input, s.Input, false)
	compare("mode", spec.Mode, s.Mode, false)
	compare("output_mode", spec.OutputMode, s.OutputMode, true)
	compare("input_preset.codec", spec.InputPreset.Codec, s.InputPreset.Codec, true)
	compare("input_preset.resolution", spec.InputPreset.Resolution, s.InputPreset.Resolution, true)
	compare("input_preset.bitrate", spec.InputPreset.Bitrate, s.InputPreset.Bitrate, true)
	compare("input_source_a", spec.InputSourceA, s.InputSourceA, true)
	compare("input_source_b", spec.InputSourceB, s.InputSourceB, true)
	compare("output_destination_a", spec.OutputDestinationA, s.OutputDestinationA, true)
	compare("output_destination_b", spec.OutputDestinationB, s.OutputDestinationB, true)
	flag := func(name string, want bool, got *bool) {
		if got != nil && *got != want {
			names = append(names, name)
		}
	}
	flag("enable_input_record", spec.EnableInputRecord, s.EnableInputRecord)
	flag("is_scheduled", spec.IsScheduled, s.IsScheduled)
	if spec.IsScheduled {
		compare("timezone", spec.Timezone, s.Timezone, true)
		compare("scheduled_at", spec.ScheduledAt, s.ScheduledAt, true)
	}
	return names
}

// differences warns when the service made a session other than asked for: the
// next plan would replace it. An argument that the answer leaves out is none.
func differences(spec api.SessionSpec, s *api.Session) (diags diag.Diagnostics) {
	echoed := *s
	for _, f := range []struct{ to, from *string }{
		{&echoed.Name, &spec.Name}, {&echoed.Region, &spec.Region}, {&echoed.Input, &spec.Input}, {&echoed.Mode, &spec.Mode},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	names := differing(spec, &echoed)
	if len(names) == 0 {
		return nil
	}
	names = slices.Compact(names)
	diags.AddWarning("The service changed what was asked for",
		fmt.Sprintf("Live session %s was created, but the service reports another value for %s than the configuration has. "+
			"The next plan will show the difference and want to replace the session.", s.ID, andList(names)))
	return diags
}
