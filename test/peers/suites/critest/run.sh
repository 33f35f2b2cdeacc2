#!/usr/bin/env bash
# Runs critest, the validation suite of the CRI's authors, on Mockri with its default images, and its benchmarks:
#   run.sh [CRITEST-FLAG...]
# Every spec must pass but those in expected.txt, which says what each lacks. Reports are kept in $CRITEST_OUT
# (default .ci/out/critest). With CRITEST_ROUNDS=3 all rounds must end alike. Another runtime than Mockri:
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh
# uses: critest-ports
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/record.sh"

out=${CRITEST_OUT:-$repository/.ci/out/critest}
endpoint=${MOCKRI_TARGET:-}
# Some specs block a plugin for two seconds, which is the time that a plugin has by default.
[ -n "$endpoint" ] || { start_mockri --nri-socket "$scratch/nri.sock" --nri-request-timeout 10s && set -- -nri-socket "$scratch/nri.sock" "$@"; }

rm -f "$out"/round-*
for round in $(seq "${CRITEST_ROUNDS:-1}"); do
  record_critest "$endpoint" "$out" "round-$round" -ginkgo.junit-report "$out/round-$round.xml" "$@"
done
record_critest "$endpoint" "$out" benchmark -benchmark -benchmarking-params-file "$here/benchmark.yaml" \
  -benchmarking-output-dir "$out"

cd "$repository"
npx tsx test/peers/suites/critest/compare.ts "$here/expected.txt" "$out/benchmark.json" "$out"/round-*.json
