package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

const tokenSources = "`id_token`, `id_token_file` or `id_token_command`"

// token chooses the source of the identity token. A source in the configuration wins over every
// source in the environment.
func (r *resolver) token(m model, s *settings) {
	literal := r.text("id_token", m.IDToken, "VODLIVE_ID_TOKEN")
	file := r.text("id_token_file", m.IDTokenFile, "VODLIVE_ID_TOKEN_FILE")
	command := value{attr: "id_token_command", set: !m.IDTokenCommand.IsNull()}
	command.known = command.set && !m.IDTokenCommand.IsUnknown()
	// An unknown source may turn out to be null, so it does not conflict with another.
	var configured []string
	unknown := false
	for _, v := range []value{literal, file, command} {
		unknown = unknown || v.set && !v.known
		if v.attr != "" && v.known {
			configured = append(configured, v.attr)
		}
	}
	inEnvironment := len(configured) == 0
	switch {
	case len(configured) > 1:
		r.diags.AddAttributeError(path.Root(configured[1]), "Invalid provider configuration",
			"`"+strings.Join(configured, "` and `")+"` are set together. Set only one of "+tokenSources+".")
	case inEnvironment && unknown:
		r.unknown = true
	case inEnvironment && literal.set && file.set:
		r.diags.AddError("Invalid provider configuration",
			"The environment variables VODLIVE_ID_TOKEN and VODLIVE_ID_TOKEN_FILE are both set. Unset one, or set one of "+tokenSources+" in the provider block, which wins.")
	case command.known:
		r.tokenCommand(command, m.IDTokenCommand, s)
	case literal.known && (inEnvironment || literal.attr != ""):
		s.api.Token = credential.StaticToken(r.secret(literal))
		s.api.TokenOrigin = literal.source()
		s.data.CheckToken = expiryCheck(s.api.Token, literal.origin())
	case file.known:
		r.tokenFile(file, s)
	default:
		s.data.MissingUpload = append(s.data.MissingUpload, tokenSources+" (or "+r.variable("VODLIVE_ID_TOKEN_FILE")+", or "+r.variable("VODLIVE_ID_TOKEN")+")")
	}
}

func (r *resolver) tokenFile(v value, s *settings) {
	r.isPath(v)
	s.api.TokenOrigin = fmt.Sprintf("the file %s of %s", v.text, v.source())
	s.api.Token = credential.FileToken(v.text, r.disk)
	s.data.CheckToken = expiryCheck(s.api.Token, v.origin())
}

func (r *resolver) tokenCommand(v value, list types.List, s *settings) {
	argv := r.strings(v, list)
	switch {
	case argv == nil:
	case len(argv) == 0 || strings.TrimSpace(argv[0]) == "":
		r.fail(v, "names no program", "Its first element is the program, the others its arguments.")
	case commandLine(argv[0]):
		r.fail(v, fmt.Sprintf("names the program %q, which has a blank", argv[0]),
			"Program and arguments are separate elements, such as `[\"vault\", \"read\", \"-field=token\", \"media/id\"]`: no shell takes a text apart. If it is the path of a program, begin it with `./`.")
	case strings.HasPrefix(argv[0], "~"):
		v.text = argv[0]
		r.isPath(v)
	default:
		s.api.TokenOrigin = "the program " + argv[0] + " of " + v.source()
		s.api.Token = credential.CommandToken(argv)
	}
}

// commandLine reports whether a program is a program with arguments. A path may have blanks.
func commandLine(program string) bool {
	first, _, blank := strings.Cut(strings.TrimSpace(program), " ")
	return blank && !strings.ContainsAny(first, `/\:`)
}

// expiryCheck reads the token and checks its expiry, without a request. It is not used for a
// command, which runs only when a request needs the token.
func expiryCheck(source credential.TokenSource, origin string) func(context.Context) error {
	return func(ctx context.Context) error {
		token, err := source.Token(ctx, "")
		if err != nil {
			return fmt.Errorf("%s: %w", origin, err)
		}
		at, ok := credential.TokenExpiry(token)
		if ok && !at.After(time.Now()) {
			// The token may have been renewed since it was read.
			if fresh, err := source.Token(ctx, token); err == nil {
				at, ok = credential.TokenExpiry(fresh)
			}
		}
		if ok && !at.After(time.Now()) {
			return fmt.Errorf("%s has a token that expired at %s. Get a new one", origin, at.UTC().Format(time.RFC3339))
		}
		return nil
	}
}
