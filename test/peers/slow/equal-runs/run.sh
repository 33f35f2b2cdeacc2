#!/usr/bin/env bash
# A scenario on the real kubelet gives the same calls, rows and events each time, at the same virtual times: RUNS times
# (default 100). Runs whose order within an instant differs are counted, and no failure.
#   SCENARIO (default crash-loop-back-off), VERSION (default 1.37.2)
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
scenario=${SCENARIO:-crash-loop-back-off} version=${VERSION:-1.37.2} runs=${RUNS:-100}
mockri() { node "$repository/dist/src/cli/main.js" "$@"; }

command -v go >/dev/null || skip "no go"
mockri kubelet-build --version "$version" >/dev/null
run() {
  mockri simulate "$scenario" --kubelet "$version" --seed 1 --output timeline |
    grep -E '^ +[0-9.]+s  (call|row|event|fault|step) ' >"$scratch/$1"
}
run first
holds "something happens" test -s "$scratch/first"
reordered=0
for n in $(seq 2 "$runs"); do
  run next
  holds "run $n" diff <(sort "$scratch/first") <(sort "$scratch/next") >&2
  cmp -s "$scratch/first" "$scratch/next" || reordered=$((reordered + 1))
  ((n % 10 != 0)) || say "$n runs: $reordered in another order than the first, $failures with other lines"
done
echo "$runs runs of $scenario on kubelet $version, $(wc -l <"$scratch/first") lines each: $reordered in another order than the first, $failures with other lines"
