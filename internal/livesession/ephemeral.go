package livesession

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
)

// NewEphemeralResource returns the ephemeral resource vodlive_live_session, which reads a session
// without leaving its stream keys in a plan or a state.
func NewEphemeralResource() ephemeral.EphemeralResource {
	return &ephemeralSession{providerdata.EphemeralResource{TypeName: typeName}}
}

type ephemeralSession struct{ providerdata.EphemeralResource }

func (e *ephemeralSession) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	all := computedAttributes[schema.Attribute](attributes)
	all["id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "Id of the session. It is an error if the account has no session with this id.",
		Validators:          rules(sessionID),
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one live session by its id, with every field that the service returns. " +
			"Neither plan nor state has any of them: use it to pass endpoints, whose paths carry stream keys, to an encoder's configuration or a secrets store, " +
			"together with `endpoints_in_state = false` of the resource `vodlive_live_session`. Each apply reads the session, and each plan that knows its id.",
		Attributes: all,
	}
}

func (e *ephemeralSession) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	m := valuesOf(ctx, req.Config, &resp.Diagnostics)
	resp.Diagnostics.Append(e.Data.OpenLive(typeName)...)
	if resp.Diagnostics.HasError() {
		return
	}
	if err := readSession(ctx, e.Data, m, attributes); err != nil {
		resp.Diagnostics.Append(unreadable(m.text("id"), e.Data.LiveAddress, err))
		return
	}
	resp.Diagnostics.Append(addListed(ctx, e.Data, m, attributes)...)
	resp.Diagnostics.Append(resp.Result.Set(ctx, m.object())...)
}
