#!/usr/bin/env bash
# On demand: how many nodes and pods one process of `mockri node` holds, with a control plane on the same machine.
#   scale.sh [NODES [PODS [KEEP [UPDATED]]]]    1000 nodes, 10000 pods, kept for 600 s, rolling update of 1000 pods
# Prints times, memory, the processor time of each program, and the load average: a busy machine is slower.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib.sh"
need kubernetes jq openssl curl
nodes=${1:-1000} pods=${2:-10000} keep=${3:-600} updated=${4:-1000}

cluster="$scratch/cluster" plane="$here/control-plane.sh"
at_exit "bash $plane stop $cluster"
bash "$plane" start "$cluster"
export KUBECONFIG="$cluster/admin.kubeconfig"

# seconds_of PID: processor time so far.
seconds_of() { awk -v hertz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) / hertz) }' "/proc/$1/stat"; }
megabytes() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$mockri/status"; }
report() {
  local program used="node $(seconds_of "$mockri")"
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    used="$used, $program $(seconds_of "$(<"$cluster/$program.pid")")"
  done
  echo "$*; memory $(megabytes) MB; processor time in s: $used; load average $(cut -d ' ' -f 1 /proc/loadavg)"
}

ready_nodes() { kubectl get nodes --no-headers 2>/dev/null | grep -c ' Ready ' || true; }
all_ready() { [ "$(ready_nodes)" -ge "$nodes" ]; }
available() { kubectl get deploy load -o 'jsonpath={.status.availableReplicas}' 2>/dev/null; }
# reach COUNT SECONDS: whether so many pods become available; says how many there are every 10 s.
reach() {
  local begin=$SECONDS count
  until count=$(available) && [ "${count:-0}" -ge "$1" ]; do
    ((SECONDS - begin < $2)) || { report "only ${count:-0} of $1 pods after $2 s, $(ready_nodes) nodes ready"; exit 1; }
    sleep 2
    (((SECONDS - begin) % 10 >= 2)) || say "$((SECONDS - begin)) s: ${count:-0} pods, $(ready_nodes) nodes ready"
  done
}

begin=$SECONDS
# shellcheck disable=SC2086
node ${NODE_FLAGS:-} "$repository/dist/src/cli/main.js" node --kubeconfig "$cluster/nodes.kubeconfig" --nodes "$nodes" \
  --kubelet-shared-port --control 127.0.0.1:0 ${FLAGS:-} >"$scratch/nodes.out" 2>"$scratch/nodes.log" &
mockri=$!
at_exit "kill $mockri 2>/dev/null && wait $mockri"
await 300 all_ready || { report "only $(ready_nodes) nodes ready after 300 s"; tail "$scratch/nodes.log" >&2; exit 1; }
report "$nodes nodes ready after $((SECONDS - begin)) s"

begin=$SECONDS
kubectl create deployment load --image registry.k8s.io/pause:3.10 --replicas "$pods" >/dev/null
reach "$pods" 1800
report "$pods pods available after $((SECONDS - begin)) s"

[ "$keep" = 0 ] || {
  begin=$SECONDS unready=0
  while ((SECONDS - begin < keep)); do
    now=$((nodes - $(ready_nodes)))
    ((now <= unready)) || unready=$now
    sleep 10
  done
  report "kept for $keep s: at most $unready nodes were not ready; $(available) pods available"
}

begin=$SECONDS
kubectl scale deploy load --replicas "$updated" >/dev/null
fewer() { [ "$(kubectl get deploy load -o 'jsonpath={.status.replicas}')" -le "$updated" ]; }
await 900 fewer || report "not scaled down after 900 s"
gone() { [ "$(kubectl get pods --no-headers 2>/dev/null | wc -l)" -le "$updated" ]; }
await 900 gone || report "pods are left after 900 s"
report "$((pods - updated)) pods deleted after $((SECONDS - begin)) s"

begin=$SECONDS
kubectl set image deploy/load pause=registry.k8s.io/pause:3.9 >/dev/null
kubectl rollout status deploy/load --timeout 900s >/dev/null || report "rolling update not done after 900 s"
report "rolling update of $updated pods after $((SECONDS - begin)) s"
grep -v '"level":30' "$scratch/nodes.log" | tail -n 5 >&2 || true
