package livesession

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/streamurl"
)

// What Terraform keeps of a session besides its attributes: the identity, and privateData in the
// private state.

// output is the part of a response that the state is made of.
type output struct {
	state    *tfsdk.State
	private  providerdata.Private
	identity *tfsdk.ResourceIdentity
	diags    *diag.Diagnostics
}

// save writes a session to a response.
func (m *model) save(ctx context.Context, data *privateData, out output) {
	out.diags.Append(out.state.Set(ctx, m)...)
	out.diags.Append(providerdata.WritePrivate(ctx, out.private, privateDataKey, data)...)
	setIdentity(ctx, out.identity, m.ID.ValueString(), out.diags)
}

// setIdentity sets the identity if the CLI supports identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// privateData is what the private state has of a session.
type privateData struct {
	// Salt of the digests below: some of the values are secrets, and may be short.
	Salt string `json:"salt,omitempty"`
	// Spellings are the values that the service has shown since the create in place of the
	// configured values: by argument, the digest of each.
	Spellings map[string][]string `json:"spellings,omitempty"`
	// NotReadBy is the call, GET or listing, by which the session has not been read yet. It may
	// show a value differently: what it shows first is a spelling, whatever the other call shows,
	// because no call changes a session.
	NotReadBy string `json:"not_read_by,omitempty"`
	// Unconfirmed is set until a GET has returned the new session. Until then a 404 does not mean
	// that the session is gone.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Waiting is the session that an apply made, and did not see in a status of `wait_for_status`.
	// The state may have it, or still an older one.
	Waiting *made `json:"waiting,omitempty"`
	// Left are sessions that were waited for, and in whose place others were asked for.
	Left []made `json:"left,omitempty"`
	// NotReady, of an earlier build, stands for a Waiting that the state has.
	NotReady bool `json:"not_ready,omitempty"`
	// WriteOnly are the URLs of the session that were given by write-only arguments: by the
	// argument without the suffix, the digest of each. They tell whether a URL that moves to the
	// plain argument is the same.
	WriteOnly map[string]string `json:"write_only,omitempty"`
	// FoundIn is the account in which the session was last found, or made.
	FoundIn account `json:"found_in,omitzero"`
	// ListedIn is the status, quoted, at the last lookup in the listing.
	ListedIn string `json:"listed_in,omitempty"`
}

// account is where a session was read. In another account, a 404 does not say that the session is
// gone.
type account struct {
	Address string `json:"address"`
	Token   string `json:"token"` // digest of the access token id
}

// account returns the account of the provider's configuration.
func (r *liveSession) account() account {
	return account{r.Data.LiveAddress, salted("", types.StringValue(r.Data.LiveAccount))}
}

// The values of privateData.NotReadBy.
const byGet, byListing = "get", "listing"

const privateDataKey = "session"

// replaced is what the first plan of a replacement tells the second one, which gets no state: the
// session was last found in another account than the configuration's.
type replaced struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

const privateReplacedKey = "replaced"

func (d *privateData) addSpelling(argument string, value attr.Value) {
	if d.hasSpelling(argument, value) {
		return
	}
	if d.Spellings == nil {
		d.Spellings = map[string][]string{}
	}
	d.Spellings[argument] = append(d.Spellings[argument], salted(d.salt(), value))
}

func (d *privateData) hasSpelling(argument string, value attr.Value) bool {
	return slices.Contains(d.Spellings[argument], salted(d.Salt, value))
}

// salt returns the salt of new digests.
func (d *privateData) salt() string {
	if d.Salt == "" && len(d.Spellings)+len(d.WriteOnly) == 0 {
		d.Salt = rand.Text()
	}
	return d.Salt
}

// salted is the hash of a value, which the salt keeps from being guessed.
func salted(salt string, value attr.Value) string {
	sum := sha256.Sum256([]byte(salt + value.String()))
	return hex.EncodeToString(sum[:])
}

// saltedURL is salted of a URL in any spelling.
func saltedURL(salt string, value types.String) string {
	return salted(salt, types.StringValue(streamurl.Canonical(value.ValueString())))
}

// rememberURLs notes the URLs of a session that its model m does not have: given has them, or the
// state before an update, whose URLs may have moved to write-only arguments. Those noted earlier
// stay.
func (d *privateData) rememberURLs(m *model, given *session) {
	for _, a := range arguments {
		url, _ := a.value(given).(types.String)
		if !m.writeOnly(a) || url.IsNull() {
			continue
		}
		salt := d.salt()
		if d.WriteOnly == nil {
			d.WriteOnly = map[string]string{}
		}
		d.WriteOnly[a.name] = saltedURL(salt, url)
	}
}

// readPrivate reads the private data of the session in a state.
func readPrivate(ctx context.Context, private providerdata.Private, state *model, diags *diag.Diagnostics) privateData {
	data, d := providerdata.ReadPrivate[privateData](ctx, private, privateDataKey)
	diags.Append(d...)
	if data.NotReady {
		data.NotReady, data.Waiting = false, &made{ID: state.ID.ValueString(), Name: state.Name.ValueString()}
	}
	return data
}

// unusable reports whether a session that never had a status of `wait_for_status` has ended.
func (d *privateData) unusable(state, plan *model) bool {
	return d.waitsFor(state) && !plan.ready(state.Status) && terminal(state.Status.ValueString())
}

// ready reports whether a status is one of `wait_for_status`, as far as that is known.
func (m *model) ready(status types.String) bool {
	want := waitStatuses(m.WaitForStatus)
	return partlyUnknown(m.WaitForStatus) || len(want) == 0 || slices.Contains(want, status.ValueString())
}

// partlyUnknown reports whether a set, or an element of it, is not known yet.
func partlyUnknown(set types.Set) bool {
	return set.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown)
}
