# Sourced by scale.sh and kwok.sh: the same work for both, and what it costs.
#   nodes, pods, keep, updated   how many of each, and how many seconds they are kept
#   simulator, simulator_name    process that makes the nodes
# shellcheck shell=bash disable=SC2154

# seconds_of PID: processor time so far.
seconds_of() { awk -v hertz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) / hertz) }' "/proc/$1/stat"; }
megabytes() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$simulator/status"; }
patches() { kubectl get --raw /metrics | awk '/^apiserver_request_total/ && /verb="PATCH"/ && /resource="pods"/ { sum += $NF } END { print sum + 0 }'; }
report() {
  local program used="$simulator_name $(seconds_of "$simulator")"
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler; do
    used="$used, $program $(seconds_of "$(<"$cluster/$program.pid")")"
  done
  echo "$*; memory $(megabytes) MB; patches of pods $(patches); processor time in s: $used; load average $(cut -d ' ' -f 1 /proc/loadavg)"
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

# measure BEGIN LOG: all of it; BEGIN is when the nodes were begun with, in seconds of this script.
measure() {
  local begin=$1 log=$2
  await 300 all_ready || { report "only $(ready_nodes) nodes ready after 300 s"; tail "$log" >&2; exit 1; }
  report "$nodes nodes ready after $((SECONDS - begin)) s"

  begin=$SECONDS
  kubectl create deployment load --image registry.k8s.io/pause:3.10 --replicas "$pods" >/dev/null
  reach "$pods" 1800
  report "$pods pods available after $((SECONDS - begin)) s"

  [ "$keep" = 0 ] || keep_all

  begin=$SECONDS
  kubectl scale deploy load --replicas "$updated" >/dev/null
  await 900 fewer || report "not scaled down after 900 s"
  await 900 gone || report "pods are left after 900 s"
  report "$((pods - updated)) pods deleted after $((SECONDS - begin)) s"

  begin=$SECONDS
  kubectl set image deploy/load pause=registry.k8s.io/pause:3.9 >/dev/null
  kubectl rollout status deploy/load --timeout 900s >/dev/null || report "rolling update not done after 900 s"
  report "rolling update of $updated pods after $((SECONDS - begin)) s"
}

keep_all() {
  local begin=$SECONDS unready=0 now
  while ((SECONDS - begin < keep)); do
    now=$((nodes - $(ready_nodes)))
    ((now <= unready)) || unready=$now
    sleep 10
  done
  report "kept for $keep s: at most $unready nodes were not ready; $(available) pods available"
}
# A deployment without replicas has no such field.
fewer() { local left && left=$(kubectl get deploy load -o 'jsonpath={.status.replicas}') && [ "${left:-0}" -le "$updated" ]; }
gone() { [ "$(kubectl get pods --no-headers 2>/dev/null | wc -l)" -le "$updated" ]; }
