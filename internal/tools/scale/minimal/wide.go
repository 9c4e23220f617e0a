package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// wide is a resource with as many attributes as a live session has, nested ones included, and not one rule over them:
// what the framework and the CLI take for the attributes alone.
type wide struct{ thing }

// wideArguments and wideResults are those of a live session.
const (
	wideArguments = 14
	wideResults   = 16
)

func (*wide) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_wide"
}

func (*wide) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	nested := func(names ...string) schema.SingleNestedAttribute {
		attributes := map[string]schema.Attribute{}
		for _, name := range names {
			attributes[name] = schema.StringAttribute{Optional: true}
		}
		return schema.SingleNestedAttribute{Optional: true, Attributes: attributes}
	}
	attributes := map[string]schema.Attribute{"preset": nested("codec", "resolution", "bitrate"), "timeouts": nested("create")}
	for i := range wideArguments {
		attributes[fmt.Sprintf("argument_%d", i)] = schema.StringAttribute{Optional: true}
	}
	for i := range wideResults {
		attributes[fmt.Sprintf("result_%d", i)] = schema.StringAttribute{Computed: true}
	}
	resp.Schema = schema.Schema{Attributes: attributes}
}
