#!/usr/bin/env bash
# A scenario on the real kubelet gives the same calls, rows and events each time, at the same virtual times: RUNS times
# (default 100). Runs whose order within an instant differs are counted, and no failure.
#   SCENARIO (default crash-loop-back-off), VERSION (default 1.37.2)
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
scenario=${SCENARIO:-crash-loop-back-off} version=${VERSION:-1.37.2} runs=${RUNS:-100}

command -v go >/dev/null || skip "no go"
mockri kubelet-build --version "$version" >/dev/null
happenings "$scenario" "$version" >"$scratch/first"
holds "something happens" test -s "$scratch/first"
reordered=0
for n in $(seq 2 "$runs"); do
  happenings "$scenario" "$version" >"$scratch/next"
  holds "run $n" diff <(sort "$scratch/first") <(sort "$scratch/next") >&2
  cmp -s "$scratch/first" "$scratch/next" || reordered=$((reordered + 1))
  ((n % 10 != 0)) || say "$n runs: $reordered in another order than the first, $failures with other lines"
done
echo "$runs runs of $scenario on kubelet $version, $(wc -l <"$scratch/first") lines each: $reordered in another order than the first, $failures with other lines"
