package mediafolder

import (
	"context"
	"math/big"
	"path"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/vodlive/terraform-provider-vodlive/internal/edge"
	"github.com/vodlive/terraform-provider-vodlive/internal/noun"
)

// Bypass is `files`, which goes past the framework: see edge.Bypass.
var Bypass = edge.Bypass{TypeName: typeName, Attribute: "files", Settled: func(isNull func(attribute string) bool) bool {
	return !isNull("id") && isNull("incomplete_uploads")
}}

var (
	elementType = entryType.TerraformType(context.Background())
	filesType   = tftypes.Map{ElementType: elementType}
)

// priorFiles returns `files` of the state, nil for null.
func priorFiles(ctx context.Context, diags *diag.Diagnostics) map[string]entry {
	return entriesOf(edge.Bypassed(ctx).Prior, diags)
}

// plannedFiles returns `files` of the plan, nil if it is not known.
func plannedFiles(ctx context.Context, diags *diag.Diagnostics) map[string]entry {
	return entriesOf(edge.Bypassed(ctx).Planned, diags)
}

func entriesOf(v tftypes.Value, diags *diag.Diagnostics) map[string]entry {
	entries, err := fromTerraform(v)
	if err != nil {
		diags.Append(noun.ErrorDiagnostic("Reading the files of the folder", err))
	}
	return entries
}

// setFiles sets `files` of the plan or the state that results. Without known, it is unknown.
func setFiles(ctx context.Context, files map[string]entry, known bool) {
	v := tftypes.NewValue(filesType, tftypes.UnknownValue)
	if known {
		v = toTerraform(files)
	}
	edge.Bypassed(ctx).Result = v
}

func fromTerraform(v tftypes.Value) (map[string]entry, error) {
	if !v.IsKnown() || v.IsNull() {
		return nil, nil //nolint:nilnil // no files
	}
	var elements map[string]tftypes.Value
	if err := v.As(&elements); err != nil {
		return nil, err
	}
	entries := make(map[string]entry, len(elements))
	for name, element := range elements {
		var a map[string]tftypes.Value
		if err := element.As(&a); err != nil {
			return nil, err
		}
		var e entry
		for attribute, text := range textsOf(&e) {
			if !a[attribute].IsKnown() { // of a file to upload
				continue
			}
			if err := a[attribute].As(text); err != nil {
				return nil, err
			}
		}
		var size big.Float
		if err := a["size"].As(&size); err != nil {
			return nil, err
		}
		e.Size, _ = size.Int64()
		if e.KeyPath != "" {
			e.Name = path.Base(e.KeyPath)
		}
		entries[name] = e
	}
	return entries, nil
}

func toTerraform(files map[string]entry) tftypes.Value {
	if files == nil {
		return tftypes.NewValue(filesType, nil)
	}
	elements := make(map[string]tftypes.Value, len(files))
	for name, e := range files {
		a := map[string]tftypes.Value{"size": tftypes.NewValue(tftypes.Number, e.Size)}
		for attribute, text := range textsOf(&e) {
			var value any // null
			switch {
			case *text != "":
				value = *text
			case e.unsent():
				value = tftypes.UnknownValue
			}
			a[attribute] = tftypes.NewValue(tftypes.String, value)
		}
		elements[name] = tftypes.NewValue(elementType, a)
	}
	return tftypes.NewValue(filesType, elements)
}
