#!/usr/bin/env bash
# The conformance suite has the same outcomes each time, also with other load on the machine:
#   run.sh [memory|containerd-2.4|containerd-2.3|cri-o-1.36|cri-dockerd-0.4]...
#   RUNS  of each runtime (default 20)
#   LOAD  processes that take all they get of the processors meanwhile (default: one for each processor)
#   OUT   directory for the reports; runs that it has are not made again
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
source "$here/../../programs/crio/not-asked.sh"
need jq
[ $# -gt 0 ] || set -- memory containerd-2.4
runs=${RUNS:-20} load=${LOAD:-$(nproc)} out=$(mkdir -p "${OUT:-$scratch/reports}" && cd "${OUT:-$scratch/reports}" && pwd)
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)

for _ in $(seq "$load"); do
  (while :; do :; done) &
  at_exit "kill $! 2>/dev/null"
done

# start RUNTIME: sets $endpoint and $program.
start() {
  program=''
  case $1 in
    memory) start_mockri && flags=(--control "$control") && return ;;
    containerd-*) program=containerd ;;
    cri-o-*) program=crio flags=(--skip "$not_of_crio") ;;
    cri-dockerd-*) program=cri-dockerd ;;
    *) say "unknown runtime $1" && exit 2 ;;
  esac
  start_in_memory "$program" "${1##*-}" || skip "no $1"
}

for runtime in "$@"; do
  flags=()
  start "$runtime"
  begin=$SECONDS
  for n in $(seq "$runs"); do
    report="$out/$runtime-$n.json"
    [ ! -e "$report" ] || continue
    status=0
    mockri conformance --endpoint "$endpoint" "${flags[@]}" --output json >"$report.new" || status=$?
    [ "$status" != 2 ] || { say "$runtime could not be judged in run $n" && exit 1; }
    mv "$report.new" "$report"
    say "$runtime: run $n of $runs, $((SECONDS - begin)) s"
  done
  [ -z "$program" ] || stop_in_memory "$program" "$runtime_dir"
  readarray -t reports < <(seq -f "$out/$runtime-%g.json" "$runs")
  unequal=$(jq -nr --slurpfile reports <(cat "${reports[@]}") -f "$here/unequal.jq")
  [ -z "$unequal" ] || { fail "$runtime" && echo "$unequal"; }
  echo "$runtime: $runs runs with $load busy processes, $(jq '.results | length' "${reports[0]}") checks, $(grep -c . <<<"$unequal" || true) with unequal outcomes or failures"
done
[ "$failures" = 0 ]
