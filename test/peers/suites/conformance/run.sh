#!/usr/bin/env bash
# Judges mockri (memory, with the profiles of containerd, and Docker when it can be had) and real containerd 2.4,
# and puts the results side by side in .ci/out/conformance.html. A profile must have the outcomes of its runtime, check by
# check. Some only: run.sh memory|as-containerd-2.4|docker|containerd-2.4; only when
# named: as-containerd-2.3|containerd-2.3|as-cri-o-1.36|cri-o-1.36|as-cri-dockerd-0.4|cri-dockerd-0.4
# uses: docker
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
source "$here/../../programs/crio/not-asked.sh"
out=$(mkdir -p "$repository/.ci/out" && cd "$repository/.ci/out" && pwd)
[ $# -gt 0 ] || set -- memory as-containerd-2.4 docker containerd-2.4
need jq
for runtime in "$@"; do rm -f "$out/conformance-$runtime".*; done
# Exists when something failed, also in a subshell.
failed="$scratch/failed"

# judge NAME ENDPOINT [FLAG...]: 1 when a check failed, 2 when it could not be judged.
judge() {
  local report="$out/conformance-$1" status=0
  conformance "${@:2}" --write "$report.json" --write "$report.xml" >"$report.txt" || status=$?
  echo "$1: $(tail -n 1 "$report.txt")"
  [ "$status" = 0 ] || grep -A 4 -E '^[0-9]+\)' "$report.txt" || true
  [ "$status" != 2 ] || rm -f "$report.json"
  return "$status"
}

conformance() { node "$repository/dist/src/cli/main.js" conformance --endpoint "$@"; }

# all_by_chance NAME ENDPOINT: whether each check that failed passes when it runs again. Then it is a race of that
# runtime, or of Docker behind it: it is reported, and its outcome is not compared.
all_by_chance() {
  local id ids all=0
  ids=$(jq -r '.results[] | select(.outcome == "failed").id' "$out/conformance-$1.json") && [ -n "$ids" ] || return 1
  for id in $ids; do
    if passes_again "$2" "$id"; then
      echo "$1: $id fails by chance; it belongs to the runtime's deviations, as one that depends on timing"
      echo "$id" >>"$scratch/chances-$1"
    else
      all=1
    fi
  done
  return "$all"
}

# passes_again ENDPOINT ID: a pattern is looked for in the id, the group and the rule, in this order.
passes_again() {
  local _
  for _ in 1 2 3 4 5; do ! conformance "$1" --focus "^$2 " >"$scratch/again.txt" || return 0; done
  return 1
}

# The server of this repository with some backend.
judge_mockri() {
  local name=$1
  shift
  rm -f "$scratch/mockri.out"
  start_mockri --control 127.0.0.1:0 "$@"
  judge "$name" "$endpoint" --control "$control" || { [ "$name" = docker ] && all_by_chance docker "$endpoint"; } || touch "$failed"
  kill "$mockri" && wait "$mockri" || true
}

# A server with a profile mostly waits, so it is judged beside others, with a directory of its own.
judge_profile() (scratch=$(mktemp -d "$scratch/XXXXXX") && judge_mockri "as-$1" --profile "$1")

# Continuous integration must have every runtime.
not_there() {
  [ "${CI:-}" != true ] || touch "$failed"
  echo "$1: not there"
}

judge_docker() {
  start_in_memory docker || { not_there docker && return; }
  judge_mockri docker --backend docker --docker-host "$endpoint"
  stop_in_memory docker "$runtime_dir"
}

# judge_real PEER NAME VERSION [FLAG...]
judge_real() {
  local real
  start_in_memory "$1" "$3" || { not_there "$2 $3" && return; }
  real=$endpoint
  judge "$2-$3" "$real" "${@:4}" || all_by_chance "$2-$3" "$real" || { touch "$failed" && tail -n 20 "$runtime_dir/$1.log"; }
  stop_in_memory "$1" "$runtime_dir"
}

[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
for runtime in "$@"; do
  case $runtime in
    memory) judge_mockri memory ;;
    docker) judge_docker ;;
    as-*) { judge_profile "${runtime#as-}" || touch "$failed"; } & ;;
    containerd-*) judge_real containerd containerd "${runtime#containerd-}" ;;
    cri-o-*) judge_real crio cri-o "${runtime#cri-o-}" --skip "$not_of_crio" ;;
    cri-dockerd-0.4) judge_real cri-dockerd cri-dockerd 0.4 ;;
    *) say "unknown runtime $runtime" && exit 2 ;;
  esac
done
wait
reports=()
for runtime in "$@"; do [ ! -e "$out/conformance-$runtime.json" ] || reports+=("$out/conformance-$runtime.json"); done

# same_outcomes NAME [CHECK...]: of the profile and its runtime, where both were judged here, except for these checks and
# those that fail by chance.
same_outcomes() {
  local ours="$out/conformance-as-$1.json" real="$out/conformance-$1.json" other chances
  [[ " ${reports[*]} " == *" $ours "* && " ${reports[*]} " == *" $real "* ]] || return 0
  readarray -t chances < <(cat "$scratch/chances-$1" 2>/dev/null)
  other=$(jq -nr --slurpfile ours "$ours" --slurpfile real "$real" -f "$here/other-outcomes.jq" --args "${@:2}" "${chances[@]}")
  [ -z "$other" ] || { touch "$failed" && echo "the profile $1 has other outcomes:" && echo "$other"; }
}
# Whether they have user namespaces depends on kernel and runc.
of_machine=(INV-65.user-namespace)
same_outcomes containerd-2.4 "${of_machine[@]}"
same_outcomes containerd-2.3 "${of_machine[@]}"
same_outcomes cri-dockerd-0.4 INV-41.fs-info INV-46.{format,partial} INV-65.no-user-namespace INV-67.no-log
same_outcomes cri-o-1.36 "${of_machine[@]}"

node "$repository/dist/src/cli/main.js" conformance compare "${reports[@]}" --write "$out/conformance.html"
echo "${#reports[@]} runtimes side by side in .ci/out/conformance.html"
[ ! -e "$failed" ]
