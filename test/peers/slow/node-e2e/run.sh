#!/usr/bin/env bash
# Runs Kubernetes' tests of the node, e2e_node.test, with the real kubelet on Mockri. On demand: they take ten minutes to build.
#   run.sh [SUITE]... or run.sh -- FOCUS
# SUITE is one of suites.txt (default: cri-proxy), FOCUS a regular expression. PROFILE (strict) is how Mockri behaves, PROCS (4) how many
# tests run at once, but those that have to run alone. GATES are more feature gates, such as EventedPLEG=true.
# Each must pass but those in expected.txt, which says why not. The report is .ci/out/node-e2e/SUITE.json.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The suite has /var/lib/kubelet, and pods log in /var/log/pods: here they are in memory, and gone at the end.
[ "${1:-}" = --in-namespace ] || [ "$(id -u)" != 0 ] || exec unshare --mount "$0" --in-namespace "$@"
source "$here/../../lib.sh"
source "$here/../../ginkgo.sh"
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
need kubelet jq
shift
tests=${TESTS:-$peers/bin/e2e_node.test}
build() {
  cd "$here/build" || return
  export GOFLAGS=-mod=readonly
  nice go test -c -o "$peers/bin/e2e_node.test" k8s.io/kubernetes/test/e2e_node &&
    nice go build -o "$peers/bin/ginkgo" github.com/onsi/ginkgo/v2/ginkgo
  version_of kubernetes >"$peers/bin/.e2e_node.test.version"
}
if [ -z "${TESTS:-}" ]; then
  { has e2e_node.test && [ -x "$peers/bin/ginkgo" ]; } || { command -v go >/dev/null && (build >&2); } || skip "the tests can't be built"
fi

# focus_of SUITE: its regular expression.
focus_of() { sed -n "s/^$1  *//p" "$here/suites.txt"; }
[ $# -gt 0 ] || set -- cri-proxy
suites=("$@")
if [ "$1" = -- ]; then suites=(focus); fi
for suite in "${suites[@]}"; do
  [ "$1" = -- ] || [ -n "$(focus_of "$suite")" ] || { say "there is no suite $suite; there are: $(cut -d ' ' -f 1 "$here/suites.txt" | xargs)" && exit 2; }
done

gates=CRIListStreaming=true,InPlacePodVerticalScalingMemoryBackedVolumes=true${GATES:+,$GATES}
out="$repository/.ci/out/node-e2e"
mkdir -p "$out" /var/lib/kubelet /var/log/pods
mount -t tmpfs tmpfs /var/lib/kubelet
mount -t tmpfs tmpfs /var/log/pods
# The suite restarts its kubelet by systemd.
export UNITS="$scratch/units" PATH="$here/units:$PATH"
mkdir "$UNITS"
# Of the pods' cgroups, the upper ones stay when the kubelet ends.
cgroups() { find /sys/fs/cgroup -depth -type d -path '*/kubepods*'; }
[ -n "$(cgroups)" ] || at_exit 'cgroups | xargs -r rmdir'
at_exit 'cat "$UNITS"/*/pid | xargs -r kill 2>/dev/null && sleep 1'

start_mockri --config "$here/mockri.yaml" --profile "${PROFILE:-strict}"
# For a test whose proxy is Mockri itself (see build-with-mockri.sh).
export MOCKRI_CONTROL=$control MOCKRI_LISTEN=$endpoint
cd "$scratch"
status=0
for suite in "${suites[@]}"; do
  focus=$(focus_of "$suite")
  [ "$1" != -- ] || focus=$2
  rm -f "$out/$suite.json"
  "$peers/bin/ginkgo" --procs="${PROCS:-4}" --no-color --focus="$focus" --json-report="$suite.json" --output-dir="$out" --timeout=60m \
    "$tests" -- --node-name node --prepull-images=false --cri-proxy-enabled --feature-gates "$gates" --service-feature-gates "$gates" \
    --container-runtime-endpoint "$endpoint" --kubelet-config-file "$here/kubelet.yaml" --system-spec-file "$here/system.yaml" \
    --report-dir "$out" >"$out/$suite.log" 2>&1 || true
  [ -s "$out/$suite.json" ] || { say "the tests wrote no report:" && tail -n 20 "$out/$suite.log" >&2; exit 1; }
  judge_report "$out/$suite.json" "$here/expected.txt" || status=1
  echo "$suite: $ran tests ran on the real kubelet and Mockri, $failed fail"
done
exit "$status"
