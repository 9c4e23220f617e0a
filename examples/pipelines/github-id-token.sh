#!/bin/sh
# Writes the OIDC token of a GitHub workflow to VODLIVE_ID_TOKEN_FILE, and renews it every four minutes: it is valid for
# a short time only. If your account does not accept tokens of GitHub, exchange the token here for one that it accepts.
set -eu
umask 077

renew() {
  curl --fail --silent --show-error --max-time 30 --header "Authorization: bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \
    "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$VODLIVE_VOD_BASE_URL" |
    jq --exit-status --raw-output .value > "$VODLIVE_ID_TOKEN_FILE.new" &&
    mv "$VODLIVE_ID_TOKEN_FILE.new" "$VODLIVE_ID_TOKEN_FILE"
}

renew
while sleep 240; do renew || true; done > /dev/null 2>&1 &
