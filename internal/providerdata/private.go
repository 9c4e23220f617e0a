package providerdata

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// Private is the private data of an object. The framework's type of it is internal.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ReadPrivate returns what WritePrivate has written under a key. It is the zero value if there is
// nothing that can be read.
func ReadPrivate[T any](ctx context.Context, private Private, key string) (T, diag.Diagnostics) {
	content, diags := private.GetKey(ctx, key)
	var value T
	if json.Unmarshal(content, &value) != nil {
		value = *new(T)
	}
	return value, diags
}

// WritePrivate writes a value, of which JSON can be made, under a key.
func WritePrivate(ctx context.Context, private Private, key string, value any) diag.Diagnostics {
	content, _ := json.Marshal(value)
	return private.SetKey(ctx, key, content)
}
