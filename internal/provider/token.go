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
		r.diags.AddAttributeError(path.Root(configured[1]), invalid,
			"`"+strings.Join(configured, "` and `")+"` are set together. Set only one of "+tokenSources+".")
	case inEnvironment && unknown:
		r.unknown = true
	case inEnvironment && literal.set && file.set:
		r.diags.AddError(invalid,
			"The environment variables VODLIVE_ID_TOKEN and VODLIVE_ID_TOKEN_FILE are both set. Unset one, or set one of "+tokenSources+" in the provider block, which wins.")
	case command.known:
		r.tokenCommand(command, m.IDTokenCommand, s)
	case literal.known && (inEnvironment || literal.attr != ""):
		s.api.Token, s.api.TokenOrigin = credential.StaticToken(r.secret(literal)), literal.origin()
		s.data.CheckToken = expiryCheck(s.api.Token, literal.origin())
	case file.known:
		r.checkPath(file)
		s.api.Token, s.api.TokenOrigin = credential.FileToken(file.text), fmt.Sprintf("the file %s of %s", file.text, file.origin())
		s.data.CheckToken = expiryCheck(s.api.Token, file.origin())
	default:
		s.data.MissingUpload = append(s.data.MissingUpload, tokenSources+" (or "+r.variable("VODLIVE_ID_TOKEN_FILE")+", or "+r.variable("VODLIVE_ID_TOKEN")+")")
	}
}

func (r *resolver) tokenCommand(v value, list types.List, s *settings) {
	argv, known := r.strings(list)
	if !known {
		return
	}
	program, _, isLine := strings.Cut(strings.TrimSpace(argv[0]), " ")
	switch {
	case program == "":
		r.fail(v, "names no program", "Its first element is the program, the others its arguments.")
	case isLine && !strings.ContainsAny(program, `/\`): // a path may have blanks
		r.fail(v, fmt.Sprintf("names the program %q, which has a blank", argv[0]), "Program and arguments are separate elements, such as `[\"vault\", \"read\", \"-field=token\", \"media/id\"]`.")
	default:
		s.api.Token, s.api.TokenOrigin = credential.CommandToken(argv), "the program "+argv[0]+" of "+v.origin()
	}
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
		if ok && !at.After(time.Now()) { // it may have been renewed since it was read
			token, _ = source.Token(ctx, token)
			at, ok = credential.TokenExpiry(token)
		}
		if ok && !at.After(time.Now()) {
			return fmt.Errorf("%s has a token that expired at %s. Get a new one", origin, at.Format(time.RFC3339))
		}
		return nil
	}
}
