// Package providerdata has what Configure passes to every resource, data source, list resource,
// ephemeral resource and action, and what these have in common. A provider process has one Data, so
// its fields are shared.
package providerdata

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/vodlive/terraform-provider-vodlive/internal/api"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// Data is what Configure passes on. It is safe for concurrent use. If Unknown is set, API is nil and
// Uploader can only hash files.
type Data struct {
	API      *api.Client
	Uploader *upload.Uploader

	// Unknown is set during a plan in which the provider block has values that come from a resource
	// that is not applied yet. No request may be made then.
	Unknown bool

	LiveAddress   string // base_url, normalized, "" when missing
	UploadAddress string // vod_base_url, normalized, "" when missing

	// MissingLive and MissingUpload name the missing settings of each API, for example "`base_url`
	// (or VODLIVE_BASE_URL)".
	MissingLive, MissingUpload []string

	// CheckToken checks, without a request, that the identity token can be read and that a JWT has
	// not expired. It is nil if nothing can be checked before the first request.
	CheckToken func(ctx context.Context) error

	SkipRegionValidation bool

	shared sync.Map // see Shared
}

// Shared returns the T that all resources of this provider process share: a zero value, made by the
// first call. A package keeps there what its own resources need of each other, under a type of its
// own.
func Shared[T any](d *Data) *T {
	shared, _ := d.shared.LoadOrStore(reflect.TypeFor[T](), new(T))
	return shared.(*T) //nolint:forcetypeassert // stored under its type
}

// From returns the Data of a Configure request. It is nil during validation, when the provider is
// not configured.
func From(providerData any) *Data {
	data, _ := providerData.(*Data)
	return data
}

// NeedLive reports the settings that are missing for requests of the type user to the live API.
func (d *Data) NeedLive(user string) diag.Diagnostics { return missing("live", user, d.MissingLive) }

// NeedUpload is NeedLive for the upload and batch API.
func (d *Data) NeedUpload(user string) diag.Diagnostics {
	return missing("upload and batch", user, d.MissingUpload)
}

// PlanUpload is NeedUpload and CheckToken, for plans whose apply makes requests to the upload and
// batch API.
func (d *Data) PlanUpload(ctx context.Context, user string) diag.Diagnostics {
	diags := d.NeedUpload(user)
	if diags.HasError() || d.Unknown || d.CheckToken == nil {
		return diags
	}
	if err := d.CheckToken(ctx); err != nil {
		diags.AddError("The identity token cannot be used", fmt.Sprintf("%s calls the upload and batch API, which needs an identity token. %s", user, sentence(err.Error())))
	}
	return diags
}

// CanOpen reports an unknown provider configuration: neither an ephemeral resource nor a data source
// can be deferred.
func (d *Data) CanOpen(user string) (diags diag.Diagnostics) {
	if d.Unknown {
		diags.AddError("The provider configuration is not known yet",
			fmt.Sprintf("%s is read during plan, but values in the provider block come from a resource that is not applied yet. First apply that resource alone, with `-target` and its address. Then plan again.", user))
	}
	return diags
}

// OpenLive is CanOpen and NeedLive.
func (d *Data) OpenLive(user string) diag.Diagnostics {
	return append(d.CanOpen(user), d.NeedLive(user)...)
}

// ReadLive is OpenLive, for data sources.
func (d *Data) ReadLive(user string) diag.Diagnostics { return d.OpenLive(user) }

func missing(apiName, user string, items []string) (diags diag.Diagnostics) {
	if len(items) > 0 {
		diags.AddError("The provider configuration is incomplete",
			fmt.Sprintf("%s calls the %s API, which needs %s. Set what is missing in the provider block or in the environment.", user, apiName, strings.Join(items, " and ")))
	}
	return diags
}
