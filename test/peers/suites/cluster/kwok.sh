#!/usr/bin/env bash
# On demand: the work of scale.sh with KWOK instead of `mockri node`, to compare times and memory.
#   kwok.sh [NODES [PODS [KEEP [UPDATED]]]]    the same numbers as scale.sh
# KWOK runs with the stages that its manual installs (kustomize/stage/fast), leases of 40 s as a kubelet has, and all
# rights. The stages that it has without a file are others: they patch each node's status every 20 s besides the lease.
# FLAGS has further flags for it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/scale-work.sh"
need kubernetes kwok jq openssl curl
nodes=${1:-1000} pods=${2:-10000} keep=${3:-600} updated=${4:-1000}

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"

# The nodes of `mockri node` register themselves; those of KWOK are objects that somebody makes.
objects() {
  jq -n --argjson nodes "$nodes" '{apiVersion: "v1", kind: "List", items: [range($nodes) | {
    apiVersion: "v1", kind: "Node",
    metadata: {name: "kwok-\(.)", annotations: {"kwok.x-k8s.io/node": "fake"}, labels: {"kubernetes.io/hostname": "kwok-\(.)"}},
    status: {capacity: {cpu: "8", memory: "32Gi", pods: "110"}, allocatable: {cpu: "8", memory: "32Gi", pods: "110"}}
  }]}'
}

module=$(cd "$scratch" && go mod download -json "sigs.k8s.io/kwok@$(version_of kwok)" | jq -r .Dir)
kubectl kustomize "$module/kustomize/stage/fast" >"$scratch/stages.yaml"
begin=$SECONDS simulator_name=kwok
# shellcheck disable=SC2086
kwok --kubeconfig "$KUBECONFIG" --config "$scratch/stages.yaml" --manage-all-nodes --node-lease-duration-seconds 40 --cidr 10.128.0.0/10 \
  --server-address 127.0.0.1:0 ${FLAGS:-} >"$scratch/nodes.log" 2>&1 &
simulator=$!
at_exit "kill $simulator 2>/dev/null && wait $simulator"
objects | kubectl create -f - >/dev/null
say "$nodes objects made after $((SECONDS - begin)) s, which is a part of the time until they are ready"
measure "$begin" "$scratch/nodes.log"
jq -Rr 'fromjson? | select(.level == "ERROR" or .level == "WARN") | "\(.msg): \(.err)"' "$scratch/nodes.log" |
  sed -E 's/"[^"]*"|pod [a-z0-9-]+/…/g' | sort | uniq -c | sort -rn | head -n 5 >&2 || true
