#!/usr/bin/env bash
# mockri cluster with etcd, kube-apiserver and kube-controller-manager: the bundled scenario shows Kubernetes 129795, and does
# not when the controller manager has its fix. With kube-scheduler and two nodes: the pod of a dead node is evicted and runs on the
# other one, twice the same. Equal runs have equal questions. A program can be paused, and kubectl works on a cluster that is
# held. After kill -9, no process and no file is left.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
cd "$repository"
need kubernetes jq
scenario="$repository/scenarios/cluster/stale-replicaset.yaml"
built=$(mockri kubelet-build --list --json | jq -r 'map(select(.isCurrent) | .module // .program) | join(" ")')
# The builds take a quarter of an hour, so they are not made here, not even for continuous integration.
for program in go.etcd.io/etcd/server/v3 kube-apiserver kube-controller-manager kube-scheduler; do
  [[ " $built " == *" $program "* ]] || { say "skipped: $program is not built: mockri kubelet-build --help" && exit "$SKIPPED"; }
done

# run FILE: its result is in $scratch/result, and its exit status in $status.
run() { mockri cluster "$1" --json >"$scratch/result" 2>"$scratch/errors" && status=0 || status=$?; }
pods() { jq '[.entries[] | select(.kind == "row") | .object] | unique | length' "$scratch/result"; }

run "$scenario"
same "exit status without the fix" 1 "$status"
same "its finding" "mockri: 7 pods with app=web, never expected above 4" "$(<"$scratch/errors")"
same "its pods" 7 "$(pods)"

cp -r "${scenario%.yaml}" "$scratch"
sed 's/ReplicaSet=false/ReplicaSet=true/' "$scenario" >"$scratch/fixed.yaml"
run "$scratch/fixed.yaml"
same "exit status with the fix" "0 " "$status $(<"$scratch/errors")"
same "its pods" 3 "$(pods)"

# when OBJECT CELL VALUE AFTER: the first time in s, after AFTER, of a row of the object with this value.
when() {
  jq --arg object "$1" --arg cell "$2" --arg value "$3" --argjson after "$4" \
    '[.entries[] | select(.kind == "row" and (.object | test($object)) and (.cells[$cell] | tostring) == $value) | .time / 1000
      | select(. > $after)] | first // 0' "$scratch/result"
}
# between WHAT LEAST MOST NUMBER
between() { holds "$1: $4 s, expected $2 to $3 s" jq -ne --argjson at "$4" "$2 <= \$at and \$at <= $3"; }
run node-dies
same "exit status when a node dies" "0 " "$status $(<"$scratch/errors")"
cp "$scratch/result" "$scratch/first"
lost=$(when nodes/node-1 Status NotReady 60)
# The last lease can be 10 s old, the grace period is 50 s, and the controller checks every 5 s.
between "the node is not ready" 90 121 "$lost"
evicted=$(when pods/web Status Terminating "$lost")
between "the pod is evicted after" 299 306 "$(jq -n "$evicted - $lost")"
between "another one runs after" 0 5 "$(jq -n "$(when pods/web Status Running "$evicted") - $evicted")"
run node-dies
# Two goroutines of one instant may log in either order.
done_in() { jq -c '.entries[] | select(.kind != "log")' "$1"; }
same "the second run" "$(done_in "$scratch/first")" "$(done_in "$scratch/result")"

# equal NAME: two runs of the scenario have equal entries and equal questions: all that a program did. The API server and the
# controller manager differ in an order of goroutines at times: addresses in memory depend on when they need a thread.
equal() {
  local each
  for each in first result; do
    run "$scratch/$1.yaml"
    same "exit status of $1" "0 " "$status $(<"$scratch/errors")"
    [ "$each" = result ] || cp "$scratch/result" "$scratch/first"
  done
  same "two runs of $1" "$(done_in "$scratch/first")" "$(done_in "$scratch/result")"
  same "its questions" "$(questions "$scratch/first")" "$(questions "$scratch/result")"
}
questions() { jq -c '.questions | {etcd, "kube-scheduler"}' "$1"; }
deployment="timeline: [ { at: 1s, apply: stale-replicaset/deployment.yaml }"
cat >"$scratch/deployment.yaml" <<EOF
{ version: 1, cluster: { kubernetes: "1.37" }, $deployment ], until: 20s }
EOF
cat >"$scratch/nodes.yaml" <<EOF
{ version: 1, cluster: { kubernetes: "1.37", nodes: { thin: 2 } }, $deployment, { at: 5s, kill: node-1 } ], until: 20s }
EOF
cat >"$scratch/restart.yaml" <<EOF
version: 1
cluster: { kubernetes: "1.37" }
$deployment, { at: 5s, kill: kube-controller-manager }, { at: 6s, start: kube-controller-manager } ]
until: 20s
EOF
for each in deployment nodes restart; do equal "$each"; done

# A controller manager that is paused creates no pod.
cat >"$scratch/paused.yaml" <<EOF
version: 1
cluster: { kubernetes: "1.37" }
timeline:
  - { at: 5s, pause: kube-controller-manager }
  - { at: 6s, apply: stale-replicaset/deployment.yaml }
  - { at: 60s, resume: kube-controller-manager }
until: 70s
EOF
run "$scratch/paused.yaml"
same "exit status" "0 " "$status $(<"$scratch/errors")"
between "its first pod" 60 62 "$(when pods/web Status Pending 0)"

# --hold: kubectl works on the cluster after its end.
node dist/src/cli/main.js cluster "$scratch/paused.yaml" --hold >"$scratch/rows" 2>"$scratch/errors" &
main=$!
await 120 grep -q KUBECONFIG= "$scratch/rows" || fail "the cluster does not stand"
config=$(sed -n 's/.*KUBECONFIG=//p' "$scratch/rows")
kubectl --kubeconfig "$config" create deployment own --image nginx --replicas 2 >"$scratch/out"
owns_pods() { [ "$(kubectl --kubeconfig "$config" get pods -l app=own -o name | wc -l)" = 2 ]; }
within 60 "kubectl creates a Deployment, and the controller manager its pods" owns_pods
kill -s INT "$main"
status=0
wait "$main" || status=$?
same "exit status after Ctrl-C" "0 " "$status $(<"$scratch/errors")"

# A run that is stopped or killed leaves no process and no file.
export TMPDIR="$scratch/tmp"
mkdir "$TMPDIR"
nothing_left() { [ -z "$(ls "$TMPDIR")" ] && ! pgrep -f "$TMPDIR/mockri-cluster-"; }
# stops SIGNAL: the exit status of a run that gets it.
stops() {
  node dist/src/cli/main.js cluster "$scenario" >"$scratch/rows" 2>"$scratch/errors" &
  local main=$!
  await 60 grep -q "> apply deployments.apps/web" "$scratch/rows" || fail "the scenario does not begin"
  kill -s "$1" "$main"
  status=0
  wait "$main" || status=$?
}
stops TERM
same "exit status after SIGTERM" "143 " "$status $(<"$scratch/errors")"
holds "no process and no file is left" nothing_left
stops KILL
within 20 "no process and no file is left after SIGKILL" nothing_left
echo "$checks checks: 7 pods of 4 without the fix, 3 with it; an evicted pod runs on the other node, twice the same; equal questions of etcd and the scheduler; nothing left after SIGTERM and SIGKILL"
