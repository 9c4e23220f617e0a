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
func (m values) save(ctx context.Context, data *privateData, out output) {
	out.diags.Append(out.state.Set(ctx, m.object())...)
	out.diags.Append(providerdata.WritePrivate(ctx, out.private, privateDataKey, data)...)
	setIdentity(ctx, out.identity, m.text("id"), out.diags)
}

// setIdentity sets the identity if the CLI supports identities.
func setIdentity(ctx context.Context, identity *tfsdk.ResourceIdentity, id string, diags *diag.Diagnostics) {
	if identity != nil {
		diags.Append(identity.SetAttribute(ctx, path.Root("id"), id)...)
	}
}

// privateData is what the private state has of a session.
type privateData struct {
	// Salt of the digests below: some of the values may be short.
	Salt string `json:"salt,omitempty"`
	// Renditions has the arguments that GETs have shown, by name: "" if with the meaning that the
	// state has, or if it has none, else a digest of the value. The first such value is the
	// service's spelling of the configured one, because no call changes a session.
	Renditions map[string]string `json:"renditions,omitempty"`
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
	// Imported is set by the import of the session, until a refresh or an update. The apply is
	// another process than the plan, and sees values that the plan did not know.
	Imported bool `json:"imported,omitempty"`
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

const privateDataKey = "session"

// replaced is what the first plan of a replacement tells the second one, which gets no state: the
// session was last found in another account than the configuration's.
type replaced struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

const privateReplacedKey = "replaced"

// salt returns the salt of new digests.
func (d *privateData) salt() string {
	if d.Salt == "" {
		d.Salt = rand.Text()
	}
	return d.Salt
}

// salted is the hash of a value, which the salt keeps from being guessed.
func salted(salt string, value attr.Value) string {
	sum := sha256.Sum256([]byte(salt + value.String()))
	return hex.EncodeToString(sum[:])
}

// readPrivate reads the private data of the session in a state.
func readPrivate(ctx context.Context, private providerdata.Private, state values, diags *diag.Diagnostics) privateData {
	data, d := providerdata.ReadPrivate[privateData](ctx, private, privateDataKey)
	diags.Append(d...)
	if data.NotReady {
		data.NotReady, data.Waiting = false, &made{ID: state.text("id"), Name: state.text("name")}
	}
	return data
}

// unusable reports whether a session that never had a status of `wait_for_status` has ended.
func (d *privateData) unusable(state, plan values) bool {
	return d.waitsFor(state) && !plan.ready(state.str("status")) && terminal(state.text("status"))
}

// protected reports whether `deletion_protection` in the state keeps the session. It does not keep
// one that is unusable: to lift it, an apply would have to create another session.
func (d *privateData) protected(state, plan values) bool {
	return state.flag("deletion_protection").ValueBool() && !d.unusable(state, plan)
}

// ready reports whether a status is one of `wait_for_status`, as far as that is known.
func (m values) ready(status types.String) bool {
	want := waitStatuses(m.set("wait_for_status"))
	return partlyUnknown(m.set("wait_for_status")) || len(want) == 0 || slices.Contains(want, status.ValueString())
}

// partlyUnknown reports whether a set, or an element of it, is not known yet.
func partlyUnknown(set types.Set) bool {
	return set.IsUnknown() || slices.ContainsFunc(set.Elements(), attr.Value.IsUnknown)
}
