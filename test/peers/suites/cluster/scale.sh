#!/usr/bin/env bash
# On demand: how many nodes and pods one process of `mockri node` holds, with a control plane on the same machine.
#   scale.sh [NODES [PODS [KEEP [UPDATED]]]]    1000 nodes, 10000 pods, kept for 600 s, rolling update of 1000 pods
# Prints times, memory, the processor time of each program, and the load average: a busy machine is slower.
# kwok.sh does the same work with KWOK.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/scale-work.sh"
need kubernetes jq openssl curl
nodes=${1:-1000} pods=${2:-10000} keep=${3:-600} updated=${4:-1000}

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"

begin=$SECONDS simulator_name=node
# shellcheck disable=SC2086
node ${NODE_FLAGS:-} "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" --nodes "$nodes" \
  --kubelet-shared-port --control 127.0.0.1:0 ${FLAGS:-} >"$scratch/nodes.out" 2>"$scratch/nodes.log" &
simulator=$!
at_exit "kill $simulator 2>/dev/null && wait $simulator"
measure "$begin" "$scratch/nodes.log"
grep -v '"level":30' "$scratch/nodes.log" | tail -n 5 >&2 || true
