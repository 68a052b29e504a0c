#!/usr/bin/env bash
# Starts the server on free ports with an empty data directory and runs the browser and client tests against it.
# Its log and what the browser tests leave lie in $CARGO_TARGET_DIR/e2e. Arguments go to the browser tests.

source "$(dirname "$0")/lib.sh"

output="$CARGO_TARGET_DIR/e2e"
soit="$CARGO_TARGET_DIR/debug/soit"
server=""

stop_server() {
  [[ -n $server ]] || return 0
  kill "$server" 2>/dev/null || true
  wait "$server" || true
}

remove_data() { rm -rf "$data"; }

# ready: waits until the server answers, for a minute at most.
ready() {
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    kill -0 "$server" 2>/dev/null || break
    # The command that container health checks run.
    env -i "$soit" health --ready --url "$SOIT_API_URL" >/dev/null 2>&1 && return
    sleep 0.1
  done
  tail -n 40 "$output/server.log" >&2
  fail "the server did not become ready, see $output/server.log"
}

step "setup" .ci/setup.sh test
step "console" .ci/site.sh
# The same selection as the Rust tests: with the same features, nothing is compiled twice.
step "server" cargo build "${HOST_CRATES[@]}" --bins --tests

rm -rf "$output"
mkdir -p "$output"
data="$(mktemp -d)"
at_exit remove_data
console="$(free_port)"
api="$(free_port)"

# Only what is named here: a setting of the caller must not change the outcome.
env -i PATH="$PATH" HOME="$HOME" DATA_DIR="$data" SITE_DIR="$SITE" ENVIRONMENT=test LOG_FORMAT=json \
  LISTEN_CONSOLE="127.0.0.1:$console" LISTEN_API="127.0.0.1:$api" \
  "$soit" serve >"$output/server.log" 2>&1 &
server=$!
at_exit stop_server

export SOIT_URL="http://localhost:$console" SOIT_API_URL="http://127.0.0.1:$api"
# For stories that start a server of their own, with other settings, or that run a command.
export SOIT_BIN="$soit" SOIT_SITE="$SITE"
export E2E_OUTPUT="$output" CHROMIUM="${CHROMIUM:-$(command -v chromium)}"
step "start" ready
(($#)) || set -- end2end/tests/*.test.mjs
step "browser tests" node --test --test-concurrency=1 "$@"
step "client tests" python3 -m pytest -q -p no:cacheprovider end2end/clients
