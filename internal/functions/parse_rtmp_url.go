package functions

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/parse"
)

type rtmpURL struct {
	Scheme    string  `tfsdk:"scheme"`
	Host      string  `tfsdk:"host"`
	Port      int64   `tfsdk:"port"`
	App       *string `tfsdk:"app"`
	StreamKey *string `tfsdk:"stream_key"`
	ServerURL string  `tfsdk:"server_url"`
}

// parseRTMPURL splits the URL of a stream into what encoders and players ask for.
var parseRTMPURL = pure{
	name: "parse_rtmp_url",
	definition: function.Definition{
		Summary: "Splits the URL of a stream",
		MarkdownDescription: "Returns an object with the parts of an `rtmp://` or `rtmps://` URL, such as `input_endpoint_a` of a session:\n\n" +
			"- `server_url` and `stream_key`: what OBS and most encoders ask for. `server_url` is the URL without the stream key.\n" +
			"- `scheme`, `host` and `port`: without a port in the URL, `port` is the default one, 1935 for `rtmp` and 443 for `rtmps`.\n" +
			"- `app`: the path before the stream key.\n\n" +
			"The stream key is the last of two or more parts of the path, with the query if there is one. A single part is the `app`. `app` and `stream_key` are null if the URL lacks them. " +
			"The result is sensitive if the URL is, such as a session's endpoint; `nonsensitive(...host)` shows a part.",
		Parameters: []function.Parameter{function.StringParameter{
			Name:                "url",
			MarkdownDescription: "URL such as `rtmp://live.example.com/app/stream-key`.",
		}},
		Return: function.ObjectReturn{AttributeTypes: map[string]attr.Type{
			"scheme": types.StringType, "host": types.StringType, "port": types.Int64Type,
			"app": types.StringType, "stream_key": types.StringType, "server_url": types.StringType,
		}},
	},
	run: func(ctx context.Context, arguments function.ArgumentsData) (any, *function.FuncError) {
		var given string
		if err := arguments.Get(ctx, &given); err != nil {
			return nil, err
		}
		parts, problem := parse.SplitStreamURL(given)
		if problem != "" {
			return nil, argumentError(0, "the URL (which may have a stream key, so it is not shown) "+problem+
				"; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key")
		}
		return rtmpURL{parts.Scheme, parts.Host, parts.Port, orNull(parts.App), orNull(parts.StreamKey), parts.ServerURL}, nil
	},
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
