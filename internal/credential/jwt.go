package credential

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// TokenExpiry returns the time of the claim exp of a JWT, whose signature is not verified.
func TokenExpiry(token string) (time.Time, bool) {
	seconds, ok := tokenClaims(token)["exp"].(float64)
	// A time after the year 9999 cannot be written as a date.
	if !ok || !(seconds > 0 && seconds < 253402300800) {
		return time.Time{}, false
	}
	return time.Unix(int64(seconds), 0).UTC(), true
}

// TokenAccount identifies the account of a token; "" if the token is not a JWT that names a subject
// or a customer. It is the same for every token of the account. The signature is not verified.
func TokenAccount(token string) string {
	claims := tokenClaims(token)
	identity := map[string]any{}
	for _, name := range []string{"sub", "customer_id", "custom:customer_id"} {
		if value, ok := claims[name]; ok && value != nil && value != "" {
			identity[name] = value
		}
	}
	if len(identity) == 0 {
		return ""
	}
	identity["iss"] = claims["iss"]   // a subject is unique for its issuer only
	text, _ := json.Marshal(identity) // came from JSON
	return string(text)
}

// tokenClaims returns the claims of a token, nil if it is not a JWT.
func tokenClaims(token string) jwt.MapClaims {
	if kind, bare, found := strings.Cut(strings.TrimSpace(token), " "); found && strings.EqualFold(kind, "bearer") {
		token = bare
	}
	claims := jwt.MapClaims{}
	_, _, err := jwt.NewParser().ParseUnverified(strings.TrimSpace(token), claims)
	if err != nil && !errors.Is(err, jwt.ErrTokenUnverifiable) { // by an algorithm that is not known
		return nil
	}
	return claims
}
