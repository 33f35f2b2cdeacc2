#!/usr/bin/env bash
# Judges mockri (memory, with the profiles of containerd, and Docker when it can be had) and real containerd 2.1 and 1.7,
# and puts the results side by side in .ci/out/conformance.html. A profile must have the outcomes of its runtime, check by
# check. Some only: run.sh memory|docker|as-containerd-2.1|as-containerd-1.7|containerd-2.1|containerd-1.7
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib.sh"
out=$(mkdir -p "$repository/.ci/out" && cd "$repository/.ci/out" && pwd)
[ $# -gt 0 ] || set -- memory docker as-containerd-2.1 as-containerd-1.7 containerd-2.1 containerd-1.7
need jq
reports=() failed=0

# judge NAME ENDPOINT [FLAG...]
judge() {
  local name=$1 status=0
  shift
  node "$repository/dist/src/cli/main.js" conformance --endpoint "$@" \
    --write "$out/conformance-$name.json" --write "$out/conformance-$name.xml" >"$out/conformance-$name.txt" || status=$?
  echo "$name: $(tail -n 1 "$out/conformance-$name.txt")"
  [ "$status" = 0 ] || { failed=1 && grep -A 4 -E '^[0-9]+\)' "$out/conformance-$name.txt"; }
  [ "$status" = 2 ] || reports+=("$out/conformance-$name.json")
}

# The server of this repository with some backend.
judge_mockri() {
  local name=$1
  shift
  rm -f "$scratch/mockri.out"
  start_mockri --control 127.0.0.1:0 "$@"
  judge "$name" "$endpoint" --control "$(sed 's/.*"control":"\([^"]*\)".*/\1/' "$scratch/mockri.out")"
  kill "$mockri" && wait "$mockri" || true
}

# Continuous integration must have every runtime.
not_there() {
  [ "${CI:-}" != true ] || failed=1
  echo "$1: not there"
}

judge_docker() {
  local dir="$scratch/docker" engine
  engine=$(bash "$here/../docker/start.sh" "$dir") || { not_there docker && return; }
  at_exit "bash '$here/../docker/stop.sh' '$dir'"
  judge_mockri docker --backend docker --docker-host "$engine"
  bash "$here/../docker/stop.sh" "$dir"
}

judge_containerd() {
  local dir="$peers/conformance-containerd-$1" endpoint
  endpoint=$(bash "$here/../containerd/start.sh" "$dir" "$1") || { not_there "containerd $1" && return; }
  at_exit "bash '$here/../containerd/stop.sh' '$dir'"
  judge "containerd-$1" "$endpoint"
  bash "$here/../containerd/stop.sh" "$dir"
}

[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
for runtime in "$@"; do
  case $runtime in
    memory) judge_mockri memory ;;
    docker) judge_docker ;;
    as-containerd-*) judge_mockri "$runtime" --profile "${runtime#as-}" ;;
    containerd-*) judge_containerd "${runtime#containerd-}" ;;
    *) say "unknown runtime $runtime" && exit 2 ;;
  esac
done
# same_outcomes NAME: of the profile and its runtime, where both were judged here. INV-54 is about Mockri's own fault rules.
same_outcomes() {
  local ours="$out/conformance-as-$1.json" real="$out/conformance-$1.json" other
  [[ " ${reports[*]} " == *" $ours "* && " ${reports[*]} " == *" $real "* ]] || return 0
  other=$(jq -nr --slurpfile ours "$ours" --slurpfile real "$real" '
    ($ours[0].results | map({(.id): .outcome}) | add) as $of
    | $real[0].results[] | select($of[.id] != .outcome and (.id | startswith("INV-54.") | not)) | "\(.id): \($of[.id]), and \(.outcome) on the runtime"')
  [ -z "$other" ] || { failed=1 && echo "the profile $1 has other outcomes:" && echo "$other"; }
}
same_outcomes containerd-2.1
same_outcomes containerd-1.7

node "$repository/dist/src/cli/main.js" conformance compare "${reports[@]}" --write "$out/conformance.html"
echo "${#reports[@]} runtimes side by side in .ci/out/conformance.html"
exit "$failed"
