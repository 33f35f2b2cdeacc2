#!/usr/bin/env bash
# mockri node in a real cluster (etcd, API server, controller manager and scheduler on loopback): what people
# run there, what they do to it with kubectl, what fails, and whether it is as with the real kubelet.
#   run.sh [PART...]    identity workloads manifests commands resize failures compare; and on demand hard, which takes five minutes, and
#                       top, for which metrics-server is built: ten minutes
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need kubernetes jq openssl curl script
begin=$SECONDS
# phase WHAT: for the log, how long each part takes.
phase() { say "$((SECONDS - begin)) s: $*"; }

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
# Kubernetes waits 40 s for a node, and 300 s before it evicts its pods.
export NODE_GRACE=24 TOLERATION_SECONDS=5
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"

# start_nodes NAME FLAG...: a process of nodes; sets pid_NAME.
start_nodes() {
  start_nodes_without_wait "$@"
  await 30 test -s "$scratch/$1.out" || { cat "$scratch/$1.log" >&2 && exit 1; }
}
start_nodes_without_wait() {
  local name=$1
  shift
  [ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
  node "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" "$@" \
    >"$scratch/$name.out" 2>>"$scratch/$name.log" &
  local pid=$!
  declare -g "pid_$name=$pid"
  at_exit "kill $pid 2>/dev/null && wait $pid"
}
mkdir "$scratch"/static-{0,1,real}
start_nodes first --nodes 2 --control off --pod-manifest-path "$scratch/static-{n}" --record "$scratch/first.tape.gz"
start_nodes second --kubeconfig "$cluster/account.kubeconfig" --identity account --nodes 1 --first 2 --control off
phase "three nodes"
within 20 "three nodes are ready" kubectl wait --for condition=Ready node/mock-0 node/mock-1 node/mock-2 --timeout 1s

# shown OBJECT EXPRESSION: whether jq finds it so.
shown() { kubectl get "$1" -o json | jq -e "$2" >/dev/null; }
ready() { shown "node/$1" "any(.status.conditions[]; .type == \"Ready\" and .status == \"$2\")"; }
# pods LABEL EXPRESSION: the same, for the pods with a label.
pods() { kubectl get pods -l "$1" -o json | jq -e "$2" >/dev/null; }

[ $# -gt 0 ] || set -- identity workloads manifests commands resize failures compare
for part in "$@"; do
  phase "$part"
  # shellcheck disable=SC1090
  source "$here/$part.sh"
done
holds "deploy/kubernetes is valid" kubectl apply -k "$repository/deploy/kubernetes" --server-side --dry-run=server >/dev/null
cp -r "$repository/deploy/kubernetes" "$scratch/monitored"
echo 'components: [monitoring]' >>"$scratch/monitored/kustomization.yaml"
cp -r "$repository/deploy/kubernetes" "$scratch/serving"
echo 'components: [serving-certificates]' >>"$scratch/serving/kustomization.yaml"
holds "with serving certificates" kubectl apply -k "$scratch/serving" --server-side --dry-run=server >/dev/null
holds "with its monitoring" grep -q '^kind: PodMonitor' <(kubectl kustomize "$scratch/monitored")
kill "$pid_first" && wait "$pid_first"
judged() { node "$repository/dist/src/cli/main.js" tape judge "$scratch/first.tape.gz" >&2; }
holds "the tape of two nodes shows no broken rule" judged
phase "end"

if [ "$failures" != 0 ]; then
  kubectl get nodes,pods -A -o wide >&2 || true
  tail -n 5 "$scratch"/first.log "$scratch"/second.log >&2
  exit 1
fi
echo "$checks checks hold with Kubernetes $(kubelet --version | awk '{print $2}')"
