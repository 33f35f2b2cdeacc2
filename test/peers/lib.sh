# Sourced by the scripts beside it: where peers are kept, how they are found, how one is done without.
# shellcheck shell=bash
set -euo pipefail

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# MOCKRI_PEERS is not a setting of Mockri, which refuses those that it doesn't know: scripts get it from each other as PEERS_DIR.
export PEERS_DIR="${MOCKRI_PEERS:-${PEERS_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/mockri-peers}}"
export -n MOCKRI_PEERS
peers=$(mkdir -p "$PEERS_DIR" && cd "$PEERS_DIR" && pwd)
PEERS_DIR=$peers
PATH="$peers/bin:$PATH"

# Exit status of a test that could not be run, as in automake.
readonly SKIPPED=77

say() { printf '%s\n' "$*" >&2; }

# Ends the test: a peer can't be had here. Continuous integration must have every peer.
skip() {
  if [ "${CI:-}" = true ]; then
    say "failed: $* (not skipped, because CI=true)"
    exit 1
  fi
  say "skipped: $*"
  exit "$SKIPPED"
}

# version_of PROGRAM: that versions.yaml pins; nothing for one that the distribution has.
version_of() {
  local pin=$1
  case $1 in critest) pin=crictl ;; kubelet | agnhost | e2e.test | e2e_node.test) pin=kubernetes ;; esac
  awk -v pin="$pin" '$1 == "-" && $2 == "program:" { found = $3 == pin } found && $1 == "version:" { print $2; exit }' \
    "$repository/test/peers/versions.yaml"
}

# has PROGRAM: whether it is installed, in the version that the tests are for if it was built here. One of an unknown
# version is taken for that.
has() {
  local path kept="$peers/bin/.$1.version" version
  path=$(command -v "$1") || return
  [ "${path%/*}" = "$peers/bin" ] || return 0
  version=$(version_of "$1")
  [ -e "$kept" ] || echo "$version" >"$kept"
  [ "$(<"$kept")" = "$version" ]
}

# is_kept NAME PROGRAM: whether PROGRAM is in $peers/NAME, in the version of the pin NAME. One without a file of that name
# is taken for it.
is_kept() {
  local root="$peers/$1"
  [ -x "$root/$2" ] && { [ ! -e "$root/version" ] || [ "$(<"$root/version")" = "$(version_of "$1")" ]; }
}

# kept NAME PROGRAM MAKE...: prints the path of PROGRAM in $peers/NAME. Where it is not kept, the command MAKE makes it, in
# $scratch/root.
kept() {
  local name=$1 root="$peers/$1" program="$peers/$1/$2" version
  version=$(version_of "$1")
  # What is there needs not wait for what others install.
  if is_kept "$name" "$2"; then echo "$program" && return; fi
  need jq
  # Another peer may be about to make it.
  exec 9>"$peers/install.lock"
  flock 9
  if ! is_kept "$name" "$2"; then
    "${@:3}"
    echo "$version" >"$scratch/root/version"
    rm -rf "$root"
    cp -r "$scratch/root" "$root.new" && mv "$root.new" "$root"
  fi
  exec 9>&-
  echo "$program"
}

# module_source MODULE: unpacks it, in the version $version, in $scratch/source.
module_source() {
  local module
  module=$(cd "$scratch" && go mod download -json "$1@$version" | jq -r '.Dir // empty')
  [ -n "$module" ] || skip "there is no module $1 $version"
  cp -r "$module" "$scratch/source" && chmod -R u+w "$scratch/source"
}

# need PROGRAM...: installs what is missing, or skips.
need() {
  local program
  for program in "$@"; do
    has "$program" && continue
    bash "$repository/test/peers/install.sh" "$program" || skip "no $program"
  done
}

# await SECONDS COMMAND...: until the command succeeds; three times as long on a machine that has other work.
await() {
  local end=$((SECONDS + 3 * $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

# The checks that a test makes. One that fails does not end the test, but the test ends with 1.
checks=0 failures=0
# fail WHAT: a check that was counted has failed.
fail() {
  failures=$((failures + 1))
  say "FAILED $*"
}
# holds WHAT COMMAND...: a check, with what it is about.
holds() {
  local what=$1
  shift
  checks=$((checks + 1))
  "$@" || fail "$what: $*"
}
# same WHAT EXPECTED GOT: a check that two texts are equal.
same() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}
# within SECONDS WHAT COMMAND...: a check that may take a while to come true.
within() {
  local seconds=$1 what=$2
  shift 2
  holds "$what" await "$seconds" "$@"
}

# free_port: one that nothing listens on.
# Below the ports that the kernel gives to connections: none of them takes it before the program listens.
free_port() {
  node -e 'const look = () => {
    const port = 20000 + Math.floor(Math.random() * 10000);
    const server = net.createServer().once("error", look).listen(port, () => {
      console.log(port);
      server.close();
    });
  };
  look();'
}

# A directory that goes away with the script; what `at_exit` got is run first, last come first.
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mockri-peer-XXXXXX")
cleanups=()
at_exit() { cleanups=("$*" "${cleanups[@]}"); }
clean_up() {
  local status=$? command
  for command in "${cleanups[@]}"; do eval "$command" || true; done
  rm -rf "$scratch"
  [ "$failures" = 0 ] || say "$failures of $checks checks failed"
  [ "$failures" = 0 ] || [ "$status" != 0 ] || exit 1
}
trap clean_up EXIT

# mockri ARGUMENT...: the command of this repository.
mockri() { node "$repository/dist/src/cli/main.js" "$@"; }

# happenings SCENARIO KUBELET: calls, rows and what else a kubelet program does in a scenario, with their virtual times.
happenings() {
  mockri simulate "$1" --kubelet "$2" --seed 1 --output timeline | grep -E '^ +[0-9.]+s  (call|row|event|fault|step) '
}

# start_mockri [FLAG...]: a server of this repository on a socket of its own; sets $endpoint, $control and $mockri (its pid).
start_mockri() {
  local program="$repository/dist/src/cli/main.js" socket="$scratch/mockri.sock"
  [ -f "$program" ] || (cd "$repository" && npm run --silent build >&2)
  node "$program" serve --listen "unix://$socket" --control 127.0.0.1:0 "$@" >"$scratch/mockri.out" 2>"$scratch/mockri.log" &
  mockri=$!
  at_exit "kill $mockri 2>/dev/null && wait $mockri"
  await 40 test -s "$scratch/mockri.out" || {
    say "mockri serve printed no ready line:"
    cat "$scratch/mockri.log" >&2
    exit 1
  }
  # shellcheck disable=SC2034
  endpoint="unix://$socket" control=$(sed -n 's/.*"control":"\([^"]*\)".*/\1/p' "$scratch/mockri.out")
}
