#!/usr/bin/env bash
# Workloads as people have them, most of images that nobody has, on ten mock nodes in a real cluster: each pod is Ready, each Job
# complete, nothing restarts. It prints what is not so, with the reason, and how long each took.
#   run.sh [FILE...]    manifests; those beside this script if none is given
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need kubernetes jq openssl curl
[ $# -gt 0 ] || set -- "$here"/*.yaml

cluster="$scratch/cluster" plane="$here/../../programs/kubernetes/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"
node "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" --nodes 10 --control off \
  >"$scratch/nodes.out" 2>"$scratch/nodes.log" &
at_exit "kill $! 2>/dev/null && wait $!"
nodes_are_ready() { [ "$(kubectl get nodes --no-headers | grep -c ' Ready ')" = 10 ]; }
within 60 "ten nodes are ready" nodes_are_ready

for file in "$@"; do holds "the cluster takes $file" kubectl apply --server-side -f "$file" >/dev/null; done
for name in $(kubectl get cronjobs -o name); do kubectl create job "${name#*/}-now" --from "$name" >/dev/null; done

# pods SHOW: a line for each pod and workload, as pods.jq shows them.
pods() { kubectl get deployments,replicasets,daemonsets,statefulsets,jobs,pods -A -o json | jq -r --arg show "$1" -f "$here/pods.jq"; }
# none SHOW: whether there is no such line, now that the cluster answers.
none() { pods "$1" >"$scratch/$1" && [ ! -s "$scratch/$1" ]; }
within 60 "each pod is Ready and each Job complete" none unwell
holds "no container restarted" none restarted
cat "$scratch/unwell" "$scratch/restarted" >&2
pods times | tee "$scratch/times" >&2

[ "$failures" = 0 ] || { tail -n 5 "$scratch/nodes.log" >&2 && exit 1; }
echo "$(wc -l <"$scratch/times") pods are as they should be; the slowest took $(tail -n 1 "$scratch/times")"
