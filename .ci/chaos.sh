#!/usr/bin/env bash
# Kills processes under load, on SQLite, on PostgreSQL and one of two on PostgreSQL, and compares the books with what the
# upstream saw. KILLS: how many in all, 600 by default; SEED: of the moments, another each time by default.

source "$(dirname "$0")/lib.sh"

stop_services() { .ci/services.sh stop "$TEST_SERVICES_DIR"; }

kills="${KILLS:-600}"
export CHAOS_SEED="${SEED:-$RANDOM}" CHAOS_KILLS=$(((kills + 2) / 3))

step "setup" .ci/setup.sh test
services="$(.ci/services.sh start)"
eval "$services"
at_exit stop_services
say "chaos: $CHAOS_KILLS kills each, repeat with KILLS=$kills SEED=$CHAOS_SEED"
step "kills" cargo nextest run "${HOST_CRATES[@]}" --profile chaos -E 'test(/^kill::kill_9/)'
