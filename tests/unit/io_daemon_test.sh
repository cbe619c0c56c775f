#!/bin/bash
# The daemon from outside: ready line, a client, status, reload, drain; and what wrong options do.
set -euo pipefail
daemon=$1 tool=$2
scratch=$(mktemp -d)
pid=""
finish() {
  [[ -n $pid ]] && kill -KILL "$pid" 2>/dev/null
  rm -rf "$scratch"
}
trap finish EXIT
mkdir "$scratch/share"
echo hello >"$scratch/share/hello"

fail() {
  echo "FAILED: $*"
  cat "$scratch/err" 2>/dev/null
  exit 1
}
wait_for() { # until a file has a line
  for _ in $(seq 200); do
    grep -qE "$2" "$1" 2>/dev/null && return 0
    sleep 0.05
  done
  fail "no \"$2\" in $(cat "$1")"
}

for driver in uring epoll; do
  : >"$scratch/out"
  echo secret1 | "$tool" passwd "$scratch/users" alice || fail passwd
  "$daemon" --listen 127.0.0.1:0 --share "files=$scratch/share" --users "$scratch/users" \
    --driver "$driver" --metrics 127.0.0.1:0 >"$scratch/out" 2>"$scratch/err" &
  pid=$!
  for _ in $(seq 200); do
    grep -q "^ready " "$scratch/out" && break
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.05
  done
  if grep -q "refuses a ring" "$scratch/err"; then
    pid=""
    continue # this kernel, or whoever confines us, has no ring to give
  fi
  grep -qE '^ready 127\.0\.0\.1:[0-9]+$' "$scratch/out" || fail "no ready line"
  port=$(sed -n 's/^ready .*://p' "$scratch/out")
  metrics=$(sed -n 's|.*http://\(.*\)/metrics.*|\1|p' "$scratch/err")

  # What it prints is looked at, its exit code is not.
  client() { smbclient "//127.0.0.1/files" -s /dev/null -p "$port" -U "$1" -c "$2" 2>&1 || true; }
  client alice%secret1 ls | grep -q hello || fail "$driver: listing"
  client alice%wrong ls | grep -q LOGON_FAILURE || fail "$driver: a wrong password"

  # A reload takes the new password and forgets the old one.
  echo secret2 | "$tool" passwd "$scratch/users" ALICE
  kill -HUP "$pid"
  wait_for "$scratch/err" reloaded
  client alice%secret2 "get hello $scratch/copy" >/dev/null || fail "$driver: the new password"
  cmp "$scratch/copy" "$scratch/share/hello" || fail "$driver: content"
  client alice%secret1 ls | grep -q LOGON_FAILURE || fail "$driver: the old password"

  sleep 0.5
  "$tool" status --metrics "$metrics" | grep -qE '^sessions established +2$' ||
    fail "$driver: status $("$tool" status --metrics "$metrics")"
  kill -TERM "$pid"
  wait "$pid" || fail "$driver: exit code $? after SIGTERM"
  pid=""
done

wrong() { # options for which there must be one line and exit code 2
  local code=0
  "$daemon" "$@" >"$scratch/out" 2>"$scratch/err" || code=$?
  [[ $code == 2 && $(wc -l <"$scratch/err") == 1 && ! -s $scratch/out ]] || fail "$code for $*"
}
wrong
wrong --nonsense
wrong --share nothing
wrong --share "a=$scratch/missing" --listen 127.0.0.1:0
wrong --share "a=$scratch/share" --listen nowhere
wrong --share "a=$scratch/share" --listen 127.0.0.1:0 --users "$scratch/missing"
wrong --config "$scratch/missing"
echo "PASSED"
