#!/usr/bin/env bash
# Measures the release build beside other gateways, on loopback, and writes docs/benchmarks.md. Arguments go to the load
# driver, server/testkit/src/bin/bench.

source "$(dirname "$0")/lib.sh"

LITELLM=1.100.0
PORTKEY=1.15.2

# peer NAME FILE COMMAND…: adds the other gateway to the comparison, installing it first; left out if that fails.
peers=()
peer() {
  local name="$1" file="$2"
  shift 2
  if [[ ! -e $file ]]; then
    say "bench: installing $name"
    "$@" >&2 || true
  fi
  if [[ -e $file ]]; then peers+=("--$name" "$file"); else say "bench: $name cannot be installed, left out"; fi
}

install_litellm() {
  PATH="$SYSTEM_PATH" python3 -m venv "$TOOLS/litellm-$LITELLM"
  "$TOOLS/litellm-$LITELLM/bin/pip" install -q "litellm[proxy]==$LITELLM"
}

install_portkey() {
  npm install --silent --no-audit --no-fund --prefix "$TOOLS/portkey-$PORTKEY" "@portkey-ai/gateway@$PORTKEY"
}

step "setup" .ci/setup.sh test
step "console" .ci/site.sh
# Together, so that both are compiled with the same dependencies.
SOIT_SITE_DIR="$SITE" step "compile" cargo build --release --package server --package testkit --features server/embed --bins

peer portkey "$TOOLS/portkey-$PORTKEY/node_modules/@portkey-ai/gateway/build/start-server.js" install_portkey
peer litellm "$TOOLS/litellm-$LITELLM/bin/litellm" install_litellm

release="$CARGO_TARGET_DIR/release"
step "measure" "$release/bench" --server "$release/soit" "${peers[@]}" "$@"
