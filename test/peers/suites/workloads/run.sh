#!/usr/bin/env bash
# Workloads as people have them, on ten mock nodes in a real cluster: each pod is Ready, each Job Complete, as where their
# images are known. What isn't is printed with its reason.
#   run.sh [FILE...]    manifests; default: those beside this script
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need kubernetes jq openssl curl
begin=$SECONDS

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"
node "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" --nodes 10 --control off \
  >"$scratch/nodes.out" 2>"$scratch/nodes.log" &
nodes=$!
at_exit "kill $nodes 2>/dev/null && wait $nodes"
ten_nodes() { kubectl wait --for condition=Ready "$(seq -f node/mock-%g 0 9)" --timeout 1s; }
