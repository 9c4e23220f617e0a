package mediaupload

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/vodlive/terraform-provider-vodlive/internal/providerdata"
	"github.com/vodlive/terraform-provider-vodlive/internal/transfer"
	"github.com/vodlive/terraform-provider-vodlive/internal/upload"
)

// methodAttributes are the arguments that say how a file is sent.
func methodAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"method": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString(upload.MethodAuto),
			MarkdownDescription: "`auto`: one PUT up to 64 MiB, multipart above. `single`: always one PUT, of at most 5 GiB. `multipart`: always in parts. A change sends nothing. Default: `auto`.",
			Validators:          []validator.String{stringvalidator.OneOf(upload.MethodAuto, upload.MethodSingle, upload.MethodMultipart)},
		},
		"part_size": schema.Int64Attribute{
			Optional: true,
			MarkdownDescription: "Size of a part in bytes, from 5 MiB (5242880) to 5 GiB. Default: 5 MiB for files of up to 1 GiB, else 16 MiB, and larger for files above 156 GiB, so that no file has more than 10,000 parts. " +
				"A change sends nothing.",
			Validators: []validator.Int64{partSize},
		},
	}
}

// partSize names the unit, which is easily taken for MiB.
var partSize = providerdata.NumberRule{
	Allowed: fmt.Sprintf("must be a number of bytes from %d (5 MiB) to %d (5 GiB)", transfer.MinPartSize, transfer.MaxPartSize),
	OK:      func(n int64) bool { return n >= transfer.MinPartSize && n <= transfer.MaxPartSize },
	Hint: func(n int64) string {
		if n <= 0 || n > transfer.MaxPartSize>>20 {
			return ""
		}
		mib := max(n, transfer.MinPartSize>>20)
		return fmt.Sprintf(" For %d MiB, write %d * 1024 * 1024.", mib, mib)
	},
}
