#!/usr/bin/env bash
# Runs Kubernetes' tests of the node, e2e_node.test, with the real kubelet on Mockri. On demand: they take ten minutes to build.
#   run.sh [FOCUS]    a regular expression; default: those with upstream's CRI proxy in front of Mockri
# PROFILE (strict) is how Mockri behaves.
# Each must pass but those in expected.txt, which says why not. The report is .ci/out/node-e2e/report.json.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The suite has /var/lib/kubelet, and pods log in /var/log/pods: here they are in memory, and gone at the end.
[ "${1:-}" = --in-namespace ] || [ "$(id -u)" != 0 ] || exec unshare --mount "$0" --in-namespace "$@"
source "$here/../../lib.sh"
source "$here/../../ginkgo.sh"
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"
need kubelet jq
command -v go >/dev/null || skip "go is needed to build the tests"
shift
gates=CRIListStreaming=true,InPlacePodVerticalScalingMemoryBackedVolumes=true
focus=${1:-'\[Feature:CriProxy\]'}
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

tests="$peers/bin/e2e_node.test"
[ -x "$tests" ] || (cd "$here/build" && GOFLAGS=-mod=readonly nice go test -c -o "$tests" k8s.io/kubernetes/test/e2e_node) >&2 ||
  skip "the tests can't be built"

start_mockri --profile "${PROFILE:-strict}"
cd "$scratch"
rm -f "$out/report.json"
"$tests" --node-name node --prepull-images=false --cri-proxy-enabled --feature-gates "$gates" --service-feature-gates "$gates" \
  --container-runtime-endpoint "$endpoint" --kubelet-config-file "$here/kubelet.yaml" --system-spec-file "$here/system.yaml" \
  --report-dir "$out" --ginkgo.no-color --ginkgo.focus "$focus" --ginkgo.json-report "$out/report.json" --ginkgo.timeout 60m \
  >"$out/log" 2>&1 || true
[ -s "$out/report.json" ] || { say "the tests wrote no report:" && tail -n 20 "$out/log" >&2; exit 1; }
judge_report "$out/report.json" "$here/expected.txt"
echo "$ran tests ran on the real kubelet and Mockri, $failed fail as listed"
