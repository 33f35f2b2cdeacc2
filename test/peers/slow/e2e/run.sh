#!/usr/bin/env bash
# Runs Kubernetes' own end-to-end tests of nodes, those with [NodeConformance], on two mock nodes. On demand: to build
# them takes five minutes, to run them ten. Each must pass but those in expected.txt, which says why not.
#   run.sh [FOCUS]    a regular expression, for some of them
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../ginkgo.sh"
need kubernetes jq openssl curl
command -v go >/dev/null || skip "go is needed to build the tests"
focus=${1:-'\[NodeConformance\]'}
out="$repository/.ci/out/e2e"
mkdir -p "$out"

build() {
  cd "$here/build" || return
  export GOFLAGS=-mod=readonly
  nice go test -c -o "$peers/bin/e2e.test" . && nice go build -o "$peers/bin/ginkgo" github.com/onsi/ginkgo/v2/ginkgo
}
[ -x "$peers/bin/e2e.test" ] && [ -x "$peers/bin/ginkgo" ] || (build >&2) || skip "the tests can't be built"

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
node "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" --nodes 2 --control off \
  >"$scratch/nodes.out" 2>"$scratch/nodes.log" &
nodes=$!
at_exit "kill $nodes 2>/dev/null && wait $nodes"
await 60 kubectl wait --for condition=Ready node/mock-0 node/mock-1 --timeout 1s >/dev/null

# Most of each test is waiting.
rm -f "$out/report.json"
"$peers/bin/ginkgo" --procs=8 --no-color --focus="$focus" --json-report=report.json --output-dir="$out" --timeout=40m \
  "$peers/bin/e2e.test" -- --kubeconfig "$KUBECONFIG" --provider=skeleton >"$out/log" 2>&1 || true
[ -s "$out/report.json" ] || { say "the tests wrote no report:" && tail -n 20 "$out/log" >&2; exit 1; }
judge_report "$out/report.json" "$here/expected.txt"
echo "$ran tests ran on two mock nodes, $failed fail as listed"
