#!/usr/bin/env bash
# Every test, on SQLite and on PostgreSQL, with the browser and the client libraries. Arguments go to the Rust tests.

source "$(dirname "$0")/lib.sh"

stop_services() { .ci/services.sh stop "$TEST_SERVICES_DIR"; }

# A snapshot that no test reads any more is an error.
unreferenced_snapshots() {
  local stale
  stale="$(comm -13 <(sort -u "$INSTA_SNAPSHOT_REFERENCES_FILE") <(snapshots))"
  [[ -z $stale ]] || fail "no test reads these snapshots, remove them: $stale"
}
snapshots() { find "$PWD" -name '*.snap' -not -path '*/node_modules/*' | sort -u; }

# The environment that the Compose file gives to soit is one that it starts with.
compose_settings() {
  local settings variables
  settings="$(docker-compose -f docker/docker-compose.lite.yml config --format json |
    python3 -c 'import json, sys
for name, value in json.load(sys.stdin)["services"]["soit"]["environment"].items(): print(f"{name}={value}")')"
  mapfile -t variables <<<"$settings"
  env -i "${variables[@]}" "$CARGO_TARGET_DIR/debug/soit" config --check
}

# A PostgreSQL that does not survive a power cut is refused by name.
unsynced_postgres() {
  local services told status=0
  services="$(.ci/services.sh start -c fsync=off)"
  eval "$services"
  # The services of the moment, also those of the tests later.
  at_exit stop_services
  told="$(env -i ENVIRONMENT=test DATA_DIR="$TEST_SERVICES_DIR/soit" DATABASE_URL="$TEST_POSTGRES_URL" \
    LIMITS_ON_STORE_DOWN=local STORAGE_SHARED=true SECRET_KEY=a-key-of-thirty-two-bytes-or-more-for-this \
    LISTEN_CONSOLE="127.0.0.1:$(free_port)" LISTEN_API="127.0.0.1:$(free_port)" \
    timeout 60 "$CARGO_TARGET_DIR/debug/soit" serve 2>&1)" || status=$?
  stop_services
  [[ $status -eq 1 && $told == *fsync=off* ]] || fail "soit ended with $status and said: $told"
}

# What a first visit loads stays small; sizes as sent, in KiB.
sizes() {
  within 1000 "$SITE/pkg/soit_bg.wasm.br"
  # With every part that comes later.
  within 1500 "$SITE"/pkg/*.wasm.br
  within 60 "$SITE/pkg/soit.css.br"
  within 90 "$SITE"/fonts/*.woff2
}
within() {
  local limit="$1" bytes
  shift
  bytes="$(cat "$@" | wc -c)"
  ((bytes <= limit * 1024)) || fail "$* is $((bytes / 1024)) KiB, more than $limit"
}

step "setup" .ci/setup.sh test
step "console" .ci/site.sh
step "sizes" sizes
step "compile" cargo build "${HOST_CRATES[@]}" --bins --tests
step "compose settings" compose_settings

step "unsynced PostgreSQL" unsynced_postgres
services="$(.ci/services.sh start)"
eval "$services"

export INSTA_SNAPSHOT_REFERENCES_FILE="$CARGO_TARGET_DIR/snapshots" INSTA_UPDATE=no
: >"$INSTA_SNAPSHOT_REFERENCES_FILE"
step "tests" cargo nextest run "${HOST_CRATES[@]}" "$@"
# With arguments only some tests ran.
(($#)) || step "snapshots" unreferenced_snapshots
step "examples in the documentation" cargo test "${HOST_CRATES[@]}" --doc
step "tests of bindgen" cargo test --manifest-path frontend/bindgen/Cargo.toml --release --target-dir "$CARGO_TARGET_DIR/bindgen"
step "browser and clients" .ci/e2e.sh
# Last, for it leaves another soit where the others lay.
step "image" .ci/image.sh
