#!/usr/bin/env bash
# Runs Kubernetes' tests of the node, e2e_node.test, with the real kubelet on Mockri. On demand: they take ten minutes to build.
#   run.sh [SUITE]... or run.sh -- FOCUS
# SUITE is one of suites.txt (default: cri-proxy), FOCUS a regular expression. PROFILE (strict) is how Mockri behaves, PROCS (4) how many
# tests run at once, but those that have to run alone. GATES are more feature gates, such as EventedPLEG=true. RUNTIME=containerd-2.4 runs
# them on that containerd instead; PROXY=mockri with clients/go/criproxy in the place of upstream's CRI proxy.
# Each must pass but those in expected.txt, which says why not. The report is .ci/out/node-e2e/SUITE.json, SUITE-containerd-2.4.json or
# SUITE-criproxy.json, next to the logs; OUT is another directory for them. Several can run at once.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../ginkgo.sh"
source "$here/../../own-cgroup.sh"
runtime=${RUNTIME:-mockri} proxy=${PROXY:-upstream} tests="$peers/bin/e2e_node.test"

build() {
  cd "$here/build" || return
  export GOFLAGS=-mod=readonly
  nice go test -vet=off -c -o "$tests" k8s.io/kubernetes/test/e2e_node &&
    nice go build -o "$peers/bin/ginkgo" github.com/onsi/ginkgo/v2/ginkgo
  version_of kubernetes >"$peers/bin/.e2e_node.test.version"
}

# prepare: all that needs the network.
prepare() {
  [ "$(id -u)" = 0 ] || skip "the kubelet needs root"
  need kubelet jq ip
  { has e2e_node.test && [ -x "$peers/bin/ginkgo" ]; } || { command -v go >/dev/null && (build >&2); } || skip "the tests can't be built"
  case $runtime-$proxy in
    mockri-upstream) ;;
    mockri-mockri) bash "$here/build-with-mockri.sh" ;;
    containerd-*-upstream) need agnhost docker dockerd docker-registry && bash "$repository/test/peers/programs/containerd/fetch.sh" "${runtime#containerd-}" ;;
    *) say "RUNTIME is mockri or containerd-SERIES, PROXY upstream or (with Mockri) mockri" && exit 2 ;;
  esac >&2
}

# The suite has /var/lib/kubelet and fixed ports, and pods log in /var/log: here the directories are in memory, and the network is the run's
# own, so that several can run at once.
if [ "${1:-}" != --in-namespace ]; then
  prepare
  status=0
  unshare --mount --net "$0" --in-namespace "$@" || status=$?
  exit "$status"
fi
shift

# focus_of SUITE: its regular expression.
focus_of() { sed -n "s/^$1  *//p" "$here/suites.txt"; }
[ $# -gt 0 ] || set -- cri-proxy
suites=("$@")
if [ "$1" = -- ]; then suites=(focus); fi
for suite in "${suites[@]}"; do
  [ "$1" = -- ] || [ -n "$(focus_of "$suite")" ] || { say "there is no suite $suite; there are: $(cut -d ' ' -f 1 "$here/suites.txt" | xargs)" && exit 2; }
done

gates=CRIListStreaming=true,GRPCContainerProbeTLS=true,InPlacePodVerticalScalingMemoryBackedVolumes=true${GATES:+,$GATES}
out=${OUT:-$repository/.ci/out/node-e2e}
mkdir -p "$out"
for directory in /var/lib/kubelet /var/log/pods /var/log/containers; do
  mkdir -p "$directory"
  mount -t tmpfs tmpfs "$directory"
done
own_cgroup
# The suite restarts its kubelet by systemd.
export UNITS="$scratch/units" PATH="$here/units:$PATH"
mkdir "$UNITS"
at_exit 'cat "$UNITS"/*/pid | xargs -r kill 2>/dev/null && sleep 1'

sed "s|\$CGROUP|$cgroup|" "$here/kubelet.yaml" >"$scratch/kubelet.yaml"

# own PROGRAM: puts it into the run's own directory. The suite writes the kubelet's configuration and credentials next to its programs.
own() {
  local path="$scratch/bin/${1##*/}"
  mkdir -p "${path%/*}"
  touch "$path"
  mount --bind "$1" "$path"
  at_exit "umount --lazy '$path'"
}

# network: the kubelet takes the address of the interface that the default route goes through. No name server is reachable, so a look-up
# of the node's name would take 20 s, after which the kubelet tries its CSINode again only two minutes later.
network() {
  printf '127.0.0.1 localhost\n10.64.0.2 node\n' >"$scratch/hosts"
  printf 'nameserver 127.0.0.1\n' >"$scratch/resolv.conf"
  mount --bind "$scratch/hosts" /etc/hosts
  mount --bind "$scratch/resolv.conf" /etc/resolv.conf
  ip link set lo up
  ip link add eth0 type veth peer name outside
  ip link set outside up
  ip link set eth0 up
  ip address add 10.64.0.2/24 dev eth0
  ip route add default via 10.64.0.1 dev eth0
}
network

suffix=''
case $runtime-$proxy in
  mockri-upstream) start_mockri --config "$here/mockri.yaml" --profile "${PROFILE:-strict}" ;;
  mockri-mockri)
    tests="$peers/bin/e2e_node-criproxy.test" suffix=-criproxy
    # Upstream's proxy sends each item of a stream in a message.
    start_mockri --config "$here/mockri.yaml" --profile "${PROFILE:-strict}" --stream-items 1
    export MOCKRI_CONTROL=$control MOCKRI_LISTEN=$endpoint
    ;;
  containerd-*)
    suffix=-$runtime
    source "$here/../../programs/in-memory.sh"
    export E2E_IMAGES=1
    start_in_memory containerd "${runtime#containerd-}"
    ;;
esac
own "$peers/bin/kubelet"
own "$tests"
cd "$scratch"
status=0
for suite in "${suites[@]}"; do
  focus=$(focus_of "$suite")
  [ "$1" != -- ] || focus=$2
  report="$out/$suite$suffix.json"
  rm -f "$report"
  procs=${PROCS:-4} with_proxy=()
  case $suite:$focus in
    *CriProxy* | conditions:* | smoke:*)
      with_proxy=(--cri-proxy-enabled)
      # It is in the first process of the suite: in another one a test that needs it skips itself.
      [ "$suite" != cri-proxy ] || procs=1
      ;;
  esac
  "$peers/bin/ginkgo" --procs="$procs" --no-color --focus="$focus" --json-report="${report##*/}" --output-dir="$out" --timeout=60m \
    "$scratch/bin/${tests##*/}" -- --node-name node --prepull-images=false "${with_proxy[@]}" --feature-gates "$gates" --service-feature-gates "$gates" \
    --container-runtime-endpoint "$endpoint" --kubelet-config-file "$scratch/kubelet.yaml" --system-spec-file "$here/system.yaml" \
    --report-dir "$out" >"${report%.json}.log" 2>&1 || true
  [ -s "$report" ] || { say "the tests wrote no report:" && tail -n 20 "${report%.json}.log" >&2; exit 1; }
  judge_report "$report" "$here/expected.txt" "${runtime%%-*}" || status=1
  echo "$suite: $ran tests ran on the real kubelet and ${runtime^}, $failed fail"
done
exit "$status"
