package redact

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// patterns find what looks like a secret: the first group of each is one.
var patterns = []struct {
	needs string // in every match, so that most texts need no search
	find  *regexp.Regexp
}{
	// The path of an rtmp URL, which ends with the stream key.
	{"://", regexp.MustCompile(`(?i)rtmp[a-z]*://[^\s"'<>/\\?#]*[/?#]?([^\s"<>]*)`)},
	// User info, in a URL or before a host.
	{"@", regexp.MustCompile(`//([^\s"<>/\\@]+)@`)},
	{"@", regexp.MustCompile(`([^\s"<>/@:]+:[^\s"<>/\\@][^\s"<>/@]*)@`)},
	// A query string, and a fragment of a URL that looks like one. A file name may have a #.
	{"=", regexp.MustCompile(`(?:\?|://[^\s"<>?#]*#)([^\s"<>?]*=[^\s"<>]*)`)},
	// A header value with a credential.
	{" ", regexp.MustCompile(`(?i)\b(?:bearer|basic) +([a-z0-9._~+/=-]{16,})`)},
	{" ", regexp.MustCompile(`\bAWS +([A-Za-z0-9]+:[A-Za-z0-9+/=]+)`)},
	// A JWT.
	{"eyJ", regexp.MustCompile(`\b(eyJ[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+){1,4}\.?)`)},
}

// markPatterns hides what looks like a secret in a layer.
func markPatterns(l *layer, hidden []bool) {
	for _, p := range patterns {
		if !bytes.Contains(l.bytes, []byte(p.needs)) {
			continue
		}
		for _, at := range p.find.FindAllSubmatchIndex(l.bytes, -1) {
			if p.needs != " " || !fileName.Match(l.bytes[at[2]:at[3]]) {
				l.hide(at[2], at[3], hidden)
			}
		}
	}
	markAssigned(l, hidden)
}

var (
	// assignment is a name and what separates it from its value, as in id_token=, "token": ", and
	// Stream key: .
	assignment = regexp.MustCompile("((?:[A-Za-z]+ )?[A-Za-z][A-Za-z0-9_.-]*)[\"'`]?\\s*[:=]\\s*([\"'`]?)")
	// scheme is the first word of a credential, behind which the secret begins.
	scheme = regexp.MustCompile(`(?i)^(?:basic|bearer|digest|negotiate|token|apikey|aws[a-z0-9-]*)[ ]+`)
	// word begins a sentence about the secret, which is no value.
	word = regexp.MustCompile(`(?i)^(?:an?|and|accepted|access|are|as|at|because|cannot|check|could|denied|does|expired|expected|failed|for|from|given|has|have|if|in|incorrect|invalid|is|it|its|last|may|missing|must|no|none|not|null|of|on|open|or|permission|refused|rejected|required|set|should|storage|taken|the|this|to|too|unknown|unset|use|value|was|were|which|with|write|wrong)[.,;:!?)]*$`)
)

var (
	// fileName is a word that ends like the name of a file. The extension needs a letter: .mp4,
	// .3gp.
	fileName = regexp.MustCompile(`\.[0-9]?[A-Za-z][A-Za-z0-9]{1,3}$`)
	// plainWord is a word of a sentence, or a status.
	plainWord = regexp.MustCompile(`^(?:\pL[\pL/]*|[0-9]{3})[.,;:!?)]*$`)
	// count is the beginning of "3 of 10 files", which follows the name of a folder.
	count = regexp.MustCompile(`^(?:looked at )?[0-9]+ of [0-9]`)
)

// markAssigned hides the values that are assigned to the name of a secret.
func markAssigned(l *layer, hidden []bool) {
	if !bytes.ContainsAny(l.bytes, ":=") {
		return
	}
	for rest := 0; ; {
		at := assignment.FindSubmatchIndex(l.bytes[rest:])
		if at == nil {
			return
		}
		name, quote := string(l.bytes[rest+at[2]:rest+at[3]]), string(l.bytes[rest+at[4]:rest+at[5]])
		// Behind a path separator, which an escape of the path may have become.
		path := rest+at[2] > 0 && strings.IndexByte("/\\\a\b\f\v", l.bytes[rest+at[2]-1]) >= 0
		rest += at[1]
		if !secretName(name) {
			continue
		}
		begin := rest + len(scheme.Find(l.bytes[rest:]))
		value := l.bytes[begin:]
		length := lengthOf(value, "\"'`<>&,; \t\r\n", false)
		switch {
		case quote != "":
			length = lengthOf(value, quote+"\r\n", true)
		case word.Match(value[:length]), path && plainWord.Match(value[:length]), count.Match(value):
			continue
		case strings.HasSuffix(strings.ToLower(name), "cookie"): // several values
			length = lengthOf(value, "\r\n", false)
		}
		rest = begin + length
		l.hide(begin, rest, hidden)
	}
}

// lengthOf returns how long the value at the beginning of b is, up to one of the ends.
func lengthOf(b []byte, ends string, escapes bool) int {
	for i := 0; i < len(b); i++ {
		if escapes && b[i] == '\\' {
			i++ // an escaped quote does not end the value
		} else if strings.IndexByte(ends, b[i]) >= 0 {
			return i
		}
	}
	return len(b)
}

var (
	withoutSeparators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
	// secretParts are in the names of secrets, secretWords are whole names.
	secretParts = []string{
		"presigned", "token", "secret", "password", "passwd", "passphrase", "passcode", "credential", "signature", "authorization",
		"streamkey", "streamname", "cookie", "apikey", "accesskey", "privatekey", "keypairid",
	}
	secretWords = []string{"sig", "jwt", "pass", "pwd", "auth", "bearer"}
	// extensionsNot end the names of secrets behind a dot.
	extensionsNot = []string{"key", "raw", "text", "data", "hash", "hex", "b64"}
)

// secretName reports whether a name says that its value is secret. It looks at the last word only,
// unless several words together are such a name.
func secretName(name string) bool {
	last := name[strings.LastIndex(name, " ")+1:]
	folded, joined := strings.ToLower(withoutSeparators.Replace(last)), strings.ToLower(withoutSeparators.Replace(name))
	if strings.HasSuffix(folded, "file") || strings.HasSuffix(folded, "command") || isFileName(last) {
		return false // where a secret comes from, or a file of the user's
	}
	return slices.Contains(secretWords, folded) || slices.ContainsFunc(secretParts, func(part string) bool {
		return strings.Contains(folded, part) || strings.HasSuffix(joined, part)
	})
}

// isFileName tells secret-garden.mp4 from client.secret and token.value.
func isFileName(name string) bool {
	extension := strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return fileName.MatchString(name) && !slices.Contains(extensionsNot, extension) && !slices.Contains(secretWords, extension)
}

var (
	// secretField matches the folded names of JSON fields that are secrets, serverField of those
	// beside which a path is one.
	secretField = regexp.MustCompile(`(?:url|uri|keys?|streamids?)$|^(?:inputsource|outputdestination|inputendpoint|outputendpoint)`)
	serverField = regexp.MustCompile(`server$|^host`)
)

// secretKey reports whether the value of a field of a JSON object is a secret as a whole.
func secretKey(key string, object map[string]any) bool {
	fold := func(key string) string { return strings.ToLower(withoutSeparators.Replace(key)) }
	switch {
	case key == "LastEvaluatedKey", key == "Key" && object["Bucket"] != nil: // storage's key path
		return false
	case fold(key) == "path":
		for beside := range object {
			if serverField.MatchString(fold(beside)) {
				return true
			}
		}
	}
	return secretName(key) || secretField.MatchString(fold(key))
}
