#!/usr/bin/env bash
# Runs Kubernetes' own end-to-end tests of nodes, those with [NodeConformance], on one kind of node after the other. On demand: to
# build them takes five minutes, to run them ten for each kind. Each must pass but those in expected.txt, which says why not.
#   run.sh [NODE [FOCUS]]
# NODE is mock (two nodes of `mockri node`), or the profile of the `mockri serve` that a real kubelet runs on; without it mock, strict and
# containerd-2.4. FOCUS is a regular expression, for some of the tests, SKIP one for tests to leave out; PROCS (8) is how many run at once.
# The reports are .ci/out/e2e/NODE.json, or in the directory OUT: ../tests-table.ts puts them side by side into docs/results/node-e2e.md.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# = 0 ]; then
  for node in mock strict containerd-2.4; do bash "$0" "$node" || exit; done
  exit
fi
source "$here/../../lib.sh"
source "$here/../../ginkgo.sh"
source "$here/../../own-cgroup.sh"
need kubernetes jq openssl curl
command -v go >/dev/null || skip "go is needed to build the tests"
node=$1 focus=${2:-'\[NodeConformance\]'}
# Resizes of pods as a whole, 127 tests, read the cgroup of the pod, which a simulated pod does not have, and give up after four minutes each.
skip=${SKIP:-PLR Pod InPlace Resize}
out=${OUT:-$repository/.ci/out/e2e} config="$here/../node-e2e/mockri.yaml"
mkdir -p "$out"

build() {
  cd "$here/build" || return
  export GOFLAGS=-mod=readonly
  nice go test -vet=off -c -o "$peers/bin/e2e.test" . && nice go build -o "$peers/bin/ginkgo" github.com/onsi/ginkgo/v2/ginkgo
  version_of kubernetes >"$peers/bin/.e2e.test.version"
}
has e2e.test && [ -x "$peers/bin/ginkgo" ] || (build >&2) || skip "the tests can't be built"

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)

mock_nodes() {
  # The function `mockri` in the background would be a shell, whose end leaves the program behind.
  node "$repository/dist/src/cli/main.js" node --config "$config" --kubeconfig "$cluster/nodes.kubeconfig" --nodes 2 --control off \
    >"$scratch/nodes.out" 2>"$out/$node.mockri.log" &
  local nodes=$!
  at_exit "kill $nodes 2>/dev/null && wait $nodes"
  ready mock-0 mock-1
}

# real_node PROFILE: the real kubelet on `mockri serve`. Pods have addresses of 127.64.0.0/10, which this machine reaches.
real_node() {
  [ "$(id -u)" = 0 ] || skip "the kubelet needs root"
  start_mockri --config "$config" --profile "$1"
  bash "$plane" user "$cluster" real /O=system:nodes/CN=system:node:real
  own_cgroup
  sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$(free_port)|; s|\$CGROUP|$cgroup|" "$here/kubelet.yaml" \
    >"$scratch/kubelet.yaml"
  kubelet --config "$scratch/kubelet.yaml" --kubeconfig "$cluster/real.kubeconfig" --root-dir "$scratch/root" \
    --cert-dir "$scratch/pki" --hostname-override real >"$out/$node.kubelet.log" 2>&1 &
  at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | sort -r | xargs -r umount"
  await 60 approve || { say "the kubelet asks for no certificate:" && tail -n 5 "$out/$node.kubelet.log" >&2; exit 1; }
  ready real
}
# approve: the certificate of the kubelet's server, for which somebody has to.
approve() {
  local request
  request=$(kubectl get csr -o json | jq -er 'first(.items[] | select(.spec.signerName == "kubernetes.io/kubelet-serving")).metadata.name') &&
    kubectl certificate approve "$request"
}
ready() { await 60 kubectl wait --for condition=Ready "${@/#/node/}" --timeout 1s || { say "not ready: $*"; exit 1; }; }

case $node in mock) mock_nodes ;; *) real_node "$node" ;; esac
# Most of each test is waiting.
rm -f "$out/$node.json"
"$peers/bin/ginkgo" --procs="${PROCS:-8}" --no-color --focus="$focus" --skip="$skip" --json-report="$node.json" --output-dir="$out" --timeout=40m \
  "$peers/bin/e2e.test" -- --kubeconfig "$KUBECONFIG" --provider=skeleton >"$out/$node.log" 2>&1 || true
[ -s "$out/$node.json" ] || { say "the tests wrote no report:" && tail -n 20 "$out/$node.log" >&2; exit 1; }
judge_report "$out/$node.json" "$here/expected.txt" "$node"
echo "$ran tests ran on $node, $failed fail as listed"
