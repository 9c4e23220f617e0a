package functions

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/quote"
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
			"The stream key is the last part of the path, with the query if there is one. `app` and `stream_key` are null if the URL lacks them. " +
			"The result is sensitive if the URL is, as that of a session's endpoint; `nonsensitive(...host)` shows a part.",
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
		parsed, problem := splitRTMPURL(given)
		if problem != "" {
			return nil, argumentError(0, "the URL (which may have a stream key, so it is not shown) "+problem+
				"; the URL of a stream has the scheme rtmp or rtmps, a host, and a path of an application and a stream key")
		}
		return parsed, nil
	},
}

// splitRTMPURL returns the parts of a URL, or what is wrong with it. It never returns a part of the
// URL in the problem.
func splitRTMPURL(given string) (parts rtmpURL, problem string) {
	u, err := url.Parse(given)
	switch {
	case err != nil:
		return parts, "cannot be read as a URL"
	case quote.StreamPorts[u.Scheme] == "": // Parse returns the scheme in lower case
		return parts, "does not begin with rtmp:// or rtmps://"
	case u.Hostname() == "":
		return parts, "has no host"
	}
	parts = rtmpURL{Scheme: u.Scheme, Host: u.Hostname(), ServerURL: given}
	port := cmp.Or(u.Port(), quote.StreamPorts[u.Scheme])
	if parts.Port, err = strconv.ParseInt(port, 10, 64); err != nil || parts.Port < 1 || parts.Port > 65535 {
		return parts, "has a port that is not between 1 and 65535"
	}
	// Encoders send the text as it is, so it is not unescaped.
	_, rest, _ := strings.Cut(given, "://")
	_, path, _ := strings.Cut(rest, "/")
	beforeQuery, _, _ := strings.Cut(path, "?")
	last := strings.LastIndexByte(beforeQuery, '/')
	if last < 0 {
		last = strings.LastIndexByte(path, '/') // app?query/key
	}
	if last < 0 {
		parts.App = orNull(path)
		return parts, ""
	}
	parts.App, parts.StreamKey = orNull(path[:last]), orNull(path[last+1:])
	parts.ServerURL = given[:len(given)-len(path)+last]
	return parts, ""
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
