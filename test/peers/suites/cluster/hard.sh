# Sourced by run.sh: what goes wrong in real clusters. Nothing is lost, nothing runs twice, no request is sent in a flood.
# shellcheck shell=bash

# The token of these nodes is in a file, and good as long as its Secret is there: that takes seconds, expiring ten minutes.
token() {
  kubectl create secret generic "$1" -n mockri >/dev/null
  kubectl create token account -n mockri --bound-object-kind Secret --bound-object-name "$1" >"$scratch/token.new"
  mv "$scratch/token.new" "$scratch/token"
}
token first
jq --arg file "$scratch/token" '.users[0].user = {tokenFile: $file}' "$cluster/nodes.kubeconfig" >"$scratch/hard.kubeconfig"
# Nothing else runs on these nodes, so that what they run can be counted. Pods of a DaemonSet tolerate the taint.
kubectl delete daemonset --all >/dev/null
start_nodes hard --kubeconfig "$scratch/hard.kubeconfig" --identity account --nodes 20 --name 'hard-{n}' \
  --taints hard=yes:NoSchedule --control 127.0.0.1:0
hard_control=$(jq -r .control "$scratch/hard.out")
within 30 "twenty more nodes" ready hard-19 True

# requests RESULT: how many these nodes have sent so far that were `sent`, `refused` or `failed`.
requests() { curl -fs "$hard_control/metrics" | awk -v of="result=\"$1\"" 'index($0, of) { print $2 }'; }
# sandboxes: those that the nodes' runtimes have ready.
sandboxes() { curl -fs "$hard_control/v1/nodes" | jq '[.nodes[].sandboxes.READY] | add'; }

# hard_pods NAME COUNT COMMAND [IMAGE]: so many pods, bound to these nodes in turn; they stay whatever happens to nodes.
hard_pods() {
  jq -n --arg name "$1" --argjson count "$2" --arg command "$3" --arg image "${4:-busybox:1}" '{
    apiVersion: "v1", kind: "List", items: [range($count) | {
      apiVersion: "v1", kind: "Pod", metadata: {name: "\($name)-\(.)", labels: {hard: $name}},
      spec: {
        nodeName: "hard-\(. % 20)", tolerations: [{operator: "Exists"}], terminationGracePeriodSeconds: 1,
        containers: [{name: "app", image: $image, command: ["sh", "-c", $command]}]
      }
    }]
  }' | kubectl create -f - >/dev/null
}
running() { pods "hard=$1" "(.items | length) == $2 and all(.items[]; .status.phase == \"Running\" and .status.containerStatuses[0].ready)"; }
never_restarted() { pods "hard=$1" 'all(.items[]; .status.containerStatuses[0].restartCount == 0)'; }

hard_pods many 500 'sleep 1000000'
within 300 "500 pods that are bound at once run" running many 500
holds "each once" [ "$(sandboxes)" = 500 ]
holds "and without a restart" never_restarted many

hard_pods refused 1 'sleep 1000000' 'Not//An:Image:Name'
within 30 "an image name that is refused is the reason of the pod" \
  shown pod/refused-0 '.status.containerStatuses[0].state.waiting.reason == "InvalidImageName"'
hard_pods next 1 'sleep 1000000'
within 30 "and the node goes on" running next 1
kubectl delete pod refused-0 --wait=false >/dev/null
gone_by_name() { ! kubectl get pod "$1" >/dev/null 2>&1; }
within 30 "and it can be deleted" gone_by_name refused-0

# The old token is refused from now on, the new one comes later.
refused_before=$(requests refused)
kubectl delete secret first -n mockri >/dev/null
unauthorized() { [ "$(requests refused)" -gt "$refused_before" ]; }
within 40 "a token that expired is refused" unauthorized
hard_pods meanwhile 1 'sleep 1000000'
sleep 10
token second
within 60 "with the next token pods run" running meanwhile 1
within 60 "and the node is ready" ready hard-0 True
holds "with few requests in between" [ "$(($(requests refused) - refused_before))" -lt 400 ]
holds "nothing was restarted" never_restarted many

# Objects change while the process stands still; then its version is older than everything that the API server keeps.
kill -STOP "$pid_hard"
kubectl delete pod many-0 --force --grace-period 0 >/dev/null 2>&1
hard_pods newer 1 'sleep 1000000'
# shellcheck disable=SC1091
source "$cluster/ports"
revision=$(curl -fs "http://127.0.0.1:$etcd_port/v3/kv/range" -d '{"key": "AA=="}' | jq -r .header.revision)
bash "$plane" stop "$cluster" kube-apiserver
curl -fs "http://127.0.0.1:$etcd_port/v3/kv/compaction" -d "{\"revision\": $revision}" >/dev/null
bash "$plane" start "$cluster" kube-apiserver
kill -CONT "$pid_hard"
within 90 "a watch that is too old lists again" grep -q 'too old; listing again' "$scratch/hard.log"
within 60 "what was made in between runs" running newer 1
# 499 of the 500, and the pods next, meanwhile and newer.
ended_too() { [ "$(sandboxes)" = 502 ]; }
within 60 "what was deleted in between has ended" ended_too
holds "all others never noticed" never_restarted many

# Pauses between attempts are at their longest, 10 s, after 20 s; a unit test has five minutes on a virtual clock.
hard_pods crash 1 'sleep 1; exit 1'
restarts() { kubectl get pod crash-0 -o jsonpath='{.status.containerStatuses[0].restartCount}'; }
crashed() { [ "$(restarts)" -ge 1 ]; }
within 30 "a pod crashes" crashed
restarts_before=$(restarts)
bash "$plane" stop "$cluster" kube-apiserver
failed_before=$(requests failed)
sleep 60
holds "an API server that is away gets few requests" [ "$(($(requests failed) - failed_before))" -lt 100 ]
bash "$plane" start "$cluster" kube-apiserver
went_on() { [ "$(restarts)" -gt "$restarts_before" ]; }
within 60 "what happened in the meantime is there" went_on
within 60 "and the nodes are ready" ready hard-19 True
holds "nobody was restarted" never_restarted many
holds "and nothing runs twice" [ "$(sandboxes)" -ge 502 ]
kubectl delete pods -l hard --wait=false >/dev/null
none_left() { [ -z "$(kubectl get pods -l hard -o name)" ]; }
within 300 "all of them can be deleted" none_left
