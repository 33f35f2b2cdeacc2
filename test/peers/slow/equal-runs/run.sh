#!/usr/bin/env bash
# A scenario on the real kubelet gives the same calls, rows and events each time: RUNS times (default 100).
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
for n in $(seq 2 "$runs"); do
  run next
  holds "run $n" diff "$scratch/first" "$scratch/next" >&2
  ((n % 10 != 0)) || say "$n runs, $failures differ from the first"
done
echo "$runs runs of $scenario on kubelet $version, $(wc -l <"$scratch/first") lines each: $failures differ from the first"
