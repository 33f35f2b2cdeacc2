#!/usr/bin/env bash
# Runs critest, the validation suite of the CRI's authors, on Mockri with its default images, and its benchmarks:
#   run.sh [CRITEST-FLAG...]
# Every spec must pass but those in expected.txt, which says what each lacks. Reports are kept in $CRITEST_OUT
# (default .ci/out/critest). With CRITEST_ROUNDS=3 all rounds must end alike. Another runtime than Mockri:
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib.sh"
need critest

# Its web servers listen on port 80 of their pods.
lowest=$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start 2>/dev/null || echo 1024)
[ "$(id -u)" = 0 ] || [ "$lowest" -le 80 ] || skip "to listen on port 80 takes root"

out=${CRITEST_OUT:-$repository/.ci/out/critest}
mkdir -p "$out"
endpoint=${MOCKRI_TARGET:-}
# The ports that specs use (12000 to 12003) may be anybody's, so these are checked first: a clash is nobody's failure.
for port in 12000 12001 12002 12003; do
  (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && skip "port $port, which critest uses, is taken"
done
[ -n "$endpoint" ] || start_mockri --control 127.0.0.1:0

# critest itself listens nowhere and reads no configuration but this empty one.
printf 'runtime-endpoint: %s\n' "$endpoint" >"$scratch/crictl.yaml"
critest_on_target() {
  local name=$1
  shift
  critest -config "$scratch/crictl.yaml" -runtime-endpoint "$endpoint" -image-endpoint "$endpoint" \
    -ginkgo.no-color "$@" >"$out/$name.log" 2>&1 || true
}

for round in $(seq "${CRITEST_ROUNDS:-1}"); do
  rm -f "$out/round-$round".*
  critest_on_target "round-$round" -ginkgo.json-report "$out/round-$round.json" \
    -ginkgo.junit-report "$out/round-$round.xml" "$@"
  [ -s "$out/round-$round.json" ] || { say "critest wrote no report:" && tail -n 20 "$out/round-$round.log" >&2; exit 1; }
done

critest_on_target benchmark -benchmark -benchmarking-params-file "$here/benchmark.yaml" \
  -benchmarking-output-dir "$out" -ginkgo.json-report "$out/benchmark.json"

cd "$repository"
npx tsx test/peers/critest/compare.ts "$here/expected.txt" "$out/benchmark.json" "$out"/round-*.json
