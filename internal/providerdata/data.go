// Package providerdata is the seam between the provider and its nouns: what Configure hands to every resource, data
// source, list resource, ephemeral resource and action, and the one function that turns an error into a diagnostic.
//
// One Data is made per provider process, so whatever it holds is shared: the client of the service, the upload engine
// with its budget, the view of the sessions, the list of regions. It keeps nothing across processes.
package providerdata

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/sessions"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Settings is what a Data is made of. API and Sessions are nil exactly when Unknown is set; Uploader then only hashes.
type Settings struct {
	API      *api.Client
	Sessions *sessions.Reader
	Uploader *upload.Uploader

	// Unknown says that values of the provider configuration that reach the service are not known yet (they come from
	// another resource that is still to be applied). It only occurs while planning: nothing may be called then.
	Unknown bool

	LiveAddress string // base_url, normalized, "" when missing

	// MissingLive and MissingUpload name what the configuration lacks for each half of the service, each an item such as
	// "`base_url` (or VODLIVE_BASE_URL)". Empty means complete.
	MissingLive, MissingUpload []string

	// CheckToken looks at the identity token without calling the service: its source can be read and, where it is a JWT,
	// it has not expired. Nil when there is nothing to look at before the first call.
	CheckToken func(ctx context.Context, now time.Time) error

	SkipRegionValidation bool
}

// Data is what Configure hands out. It is safe for concurrent use.
type Data struct {
	Settings

	Replaced ReplacedFiles
	Creates  Creates // creates of sessions that wait for their answer

	regions regionList
}

// New makes the one Data of a provider process.
func New(s Settings) *Data { return &Data{Settings: s} }

// From takes the Data out of a framework Configure request. It is nil, without a diagnostic, while Terraform validates:
// the provider is not configured then.
func From(providerData any, diags *diag.Diagnostics) *Data {
	if providerData == nil {
		return nil
	}
	data, ok := providerData.(*Data)
	if !ok {
		diags.AddError("Provider data has an unexpected type",
			fmt.Sprintf("Expected *providerdata.Data, got %T. This is a defect of the provider: please report it.", providerData))
		return nil
	}
	return data
}

// NeedLive reports what the configuration lacks for calls of the live API. user is the type that makes them, for
// example "vodlive_live_session".
func (d *Data) NeedLive(user string) diag.Diagnostics { return missing("live", user, d.MissingLive) }

// NeedUpload is NeedLive for the upload and batch API.
func (d *Data) NeedUpload(user string) diag.Diagnostics {
	return missing("upload and batch", user, d.MissingUpload)
}

// PlanUpload is NeedUpload plus a look at the token, for plans that will call the upload and batch API when applied.
func (d *Data) PlanUpload(ctx context.Context, user string, now time.Time) diag.Diagnostics {
	diags := d.NeedUpload(user)
	if diags.HasError() || d.Unknown || d.CheckToken == nil {
		return diags
	}
	if err := d.CheckToken(ctx, now); err != nil {
		diags.AddError("The identity token cannot be used", fmt.Sprintf("%s needs it to call the upload and batch API. %s", user, sentence(err.Error())))
	}
	return diags
}

// CanRead reports why a data source cannot be read now: a plan in which the provider's own configuration is not known
// yet. Terraform gives a data source no way to wait, so the user has to.
func (d *Data) CanRead(user string) diag.Diagnostics {
	var diags diag.Diagnostics
	if d.Unknown {
		diags.AddError("The provider configuration is not known yet",
			fmt.Sprintf("%s is read while planning, but values in the provider block come from a resource that is still to be applied. "+
				"Add `depends_on` with that resource to the data source, so that it is read during apply.", user))
	}
	return diags
}

func missing(half, user string, items []string) diag.Diagnostics {
	var diags diag.Diagnostics
	if len(items) == 0 {
		return diags
	}
	verb := "is"
	if len(items) > 1 {
		verb = "are"
	}
	diags.AddError("The provider configuration is incomplete",
		fmt.Sprintf("%s %s needed by %s, which calls the %s API. Set %s in the provider block or in the environment.",
			strings.Join(items, " and "), verb, user, half, pronoun(len(items))))
	return diags
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// regionList is the account's list of regions, asked for at most once at a time and kept once it was had.
type regionList struct {
	mu   sync.Mutex
	list []api.Region
	err  error
	done chan struct{} // closed when the call under way ends; nil = no call under way
	had  bool
}

// Regions lists the regions allocated to the account (interface 4.2 #8). The list is fetched once per process however
// many sessions, data sources and modules ask; a failure is kept too, so that a plan of many sessions does not repeat
// the retries of one call for each of them. A failure caused by the caller's own context is not kept.
func (d *Data) Regions(ctx context.Context) ([]api.Region, error) {
	r := &d.regions
	for {
		r.mu.Lock()
		if r.had {
			list, err := r.list, r.err
			r.mu.Unlock()
			return list, err
		}
		if r.done == nil {
			done := make(chan struct{})
			r.done = done
			r.mu.Unlock()

			list, err := d.API.Regions(ctx)

			r.mu.Lock()
			if err == nil || ctx.Err() == nil {
				r.list, r.err, r.had = list, err, true
			}
			r.done = nil
			close(done)
			r.mu.Unlock()
			return list, err
		}
		done := r.done
		r.mu.Unlock()
		select {
		case <-done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
