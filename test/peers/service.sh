# Sourced after lib.sh or by itself: the daemons of a peer. The process id of DIR's NAME is in DIR/NAME.pid, what it says
# in DIR/NAME.log.
# shellcheck shell=bash

# runs DIR NAME: whether the process of DIR/NAME.pid is there; one that its parent did not reap is not.
runs() {
  local state
  [ -f "$1/$2.pid" ] || return
  state=$(sed -n 's/^State:\s*\(.\).*/\1/p' "/proc/$(<"$1/$2.pid")/status" 2>/dev/null)
  [ -n "$state" ] && [ "$state" != Z ]
}

# await_service DIR NAME COMMAND...: until the command succeeds, a minute at most; fails as soon as the process has ended.
await_service() {
  local dir=$1 name=$2 tries=1200
  shift 2
  until "$@" >/dev/null 2>&1; do
    runs "$dir" "$name" && ((tries-- > 0)) || return 1
    sleep 0.05
  done
}

# start_services DIR 'NAME...' COMMAND...: the command starts the daemons and awaits them. What does not start is started
# again, as systemd would, and what it said is printed.
start_services() {
  local name
  for _ in 1 2 3; do
    "${@:3}" && return
    for name in $2; do
      say "$name of $1:"
      tail -n 20 "$1/$name.log" >&2
      kill_service "$1" "$name"
    done
  done
  return 1
}

# kill_service DIR NAME: as a crash would; the containers' processes stay.
kill_service() {
  runs "$1" "$2" || return 0
  kill -9 "$(<"$1/$2.pid")"
  while runs "$1" "$2"; do sleep 0.02; done
}

# stop_service DIR NAME: asks it to end, and kills it after 20 s.
stop_service() {
  local _
  # It may end by itself meanwhile.
  if runs "$1" "$2"; then kill "$(<"$1/$2.pid")" 2>/dev/null || true; fi
  for _ in {1..200}; do runs "$1" "$2" && sleep 0.1 || break; done
  kill_service "$1" "$2"
  rm -f "$1/$2.pid"
}
