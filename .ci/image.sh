#!/usr/bin/env bash
# Starts what is handed on, as it is handed on: the binary with the console inside in an empty folder, then the files of
# the image in a root of their own, without a container engine.

source "$(dirname "$0")/lib.sh"

server=""
work="$(mktemp -d)"
soit="$work/soit"
remove_work() { rm -rf "$work"; }
stop_server() { [[ -z $server ]] || kill "$server" 2>/dev/null || true; }
at_exit remove_work
at_exit stop_server

# The same selection as the tests but for one of them, so that only the server itself is compiled once more.
build() {
  SOIT_SITE_DIR="$SITE" cargo build "${HOST_CRATES[@]}" --features server/embed --bin soit --test scenario
  install "$CARGO_TARGET_DIR/debug/soit" "$soit"
}

# No SITE_DIR, no DATA_DIR, nothing in the folder: everything is inside.
alone() {
  local console api status=0
  console="$(free_port)" api="$(free_port)"
  mkdir "$work/empty"
  (cd "$work/empty" && exec env -i ENVIRONMENT=test LISTEN_CONSOLE="127.0.0.1:$console" LISTEN_API="127.0.0.1:$api" \
    "$soit" serve >"$work/log" 2>&1) &
  server=$!
  python3 .ci/image.py console "http://127.0.0.1:$console" || {
    tail -n 40 "$work/log" >&2
    return 1
  }
  kill -TERM "$server"
  wait "$server" || status=$?
  server=""
  ((status == 0)) || fail "SIGTERM ended it with $status"
}

# In a network of its own, where the ports of the image are free whatever else runs here.
inside() {
  bwrap --unshare-user --dev-bind / / true || fail "bwrap must be able to make user namespaces; some systems forbid it \
(sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns; a container's seccomp profile)"
  docker-compose -f docker/docker-compose.lite.yml config --format json >"$work/compose.json"
  bwrap --unshare-net --dev-bind / / --proc /proc --die-with-parent \
    "$(command -v python3)" .ci/image.py image "$work/image" "$work/compose.json"
}

step "setup" .ci/setup.sh test
step "console" .ci/site.sh
step "binary with the console inside" build
step "alone in an empty folder" alone
step "files of the image" docker/rootfs.sh "$soit" "$work/image"
step "image" inside
