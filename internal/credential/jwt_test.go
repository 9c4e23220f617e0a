package credential_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vodlive/terraform-provider-vodlive/internal/credential"
)

func encodeJWT(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".c2ln"
}

// TestTokenAccount compares the accounts of two tokens.
func TestTokenAccount(t *testing.T) {
	t.Parallel()
	jwt := func(claims string) string { return encodeJWT(`{"alg":"RS256"}`, claims) }
	for name, test := range map[string]struct {
		one, other string
		same, none bool
	}{
		"renewed":            {one: jwt(`{"sub":"a","exp":1,"jti":"x"}`), other: jwt(`{"exp":2,"jti":"y","sub":"a"}`), same: true},
		"as a bearer token":  {one: jwt(`{"sub":"a"}`), other: "Bearer " + jwt(`{"sub":"a"}`), same: true},
		"another subject":    {one: jwt(`{"sub":"a"}`), other: jwt(`{"sub":"b"}`)},
		"another issuer":     {one: jwt(`{"sub":"a","iss":"x"}`), other: jwt(`{"sub":"a","iss":"y"}`)},
		"another customer":   {one: jwt(`{"sub":"a","customer_id":"1"}`), other: jwt(`{"sub":"a","customer_id":"2"}`)},
		"customer alone":     {one: jwt(`{"custom:customer_id":1}`), other: jwt(`{"custom:customer_id":2}`)},
		"claims of one name": {one: jwt(`{"sub":"1"}`), other: jwt(`{"customer_id":"1"}`)},
		"no account":         {one: jwt(`{"exp":1}`), other: jwt(`{"sub":""}`), same: true, none: true},
		"opaque":             {one: "id-token-Zm9vYmFy/8271", other: "a.b.c", same: true, none: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one, other := credential.TokenAccount(test.one), credential.TokenAccount(test.other)
			if (one == other) != test.same || (one == "") != test.none || (other == "") != test.none {
				t.Errorf("got %q and %q", one, other)
			}
		})
	}
}

func TestTokenExpiry(t *testing.T) {
	t.Parallel()
	const rs256 = `{"alg":"RS256","typ":"JWT"}`
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	seconds := fmt.Sprint(at.Unix())
	for name, test := range map[string]struct {
		token string
		ok    bool
	}{
		"RS256":                {encodeJWT(rs256, `{"sub":"x","exp":`+seconds+`}`), true},
		"fraction":             {encodeJWT(rs256, `{"exp":`+seconds+`.5}`), true},
		"bearer":               {"Bearer " + encodeJWT(rs256, `{"exp":`+seconds+`}`), true},
		"surrounded by space":  {" " + encodeJWT(rs256, `{"exp":`+seconds+`}`) + "\n", true},
		"algorithm unknown":    {encodeJWT(`{"alg":"XX1"}`, `{"exp":`+seconds+`}`), true},
		"no algorithm":         {encodeJWT(`{}`, `{"exp":`+seconds+`}`), true},
		"no exp":               {encodeJWT(rs256, `{"sub":"x"}`), false},
		"exp is a string":      {encodeJWT(rs256, `{"exp":"`+seconds+`"}`), false},
		"exp is huge":          {encodeJWT(rs256, `{"exp":1e300}`), false},
		"exp is negative":      {encodeJWT(rs256, `{"exp":-1}`), false},
		"claims are no object": {encodeJWT(rs256, `[1]`), false},
		"claims are no JSON":   {encodeJWT(rs256, `{`), false},
		"opaque":               {"id-token-Zm9vYmFy/8271", false},
		"opaque, with dots":    {"a.b.c", false},
		"empty":                {"", false},
		"huge":                 {strings.Repeat("a.", 1<<20), false},
		"deep":                 {encodeJWT(rs256, strings.Repeat("[", 40000)), false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := credential.TokenExpiry(test.token)
			if ok != test.ok || ok && !got.Equal(at) {
				t.Errorf("got %s, %t; want %s, %t", got, ok, at, test.ok)
			}
		})
	}
}
