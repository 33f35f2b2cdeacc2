# Sourced by run.sh: a process of nodes and the API server are killed, and come back.
# shellcheck shell=bash
# The uid and the restarts of every pod that should not notice.
lives() { kubectl get pods -l 'app in (web, db, agent)' -o json | jq -c '[.items[] | [.metadata.uid, (.status.containerStatuses[].restartCount)]] | sort'; }

all_ready() { ready mock-0 True && ready mock-1 True && ready mock-2 True; }

# Pods that were drained have come again elsewhere.
complete() { shown deploy/web '.status.availableReplicas == 4' && shown ds/agent '.status.numberReady == 3' && shown sts/db '.status.availableReplicas == 3'; }
within 60 "everything runs before the failures" complete
before=$(lives)
bash "$plane" stop "$cluster" kube-apiserver
sleep 5
bash "$plane" start "$cluster" kube-apiserver
within 30 "the API server is back" kubectl get --raw /readyz
kubectl run after --image nginx:1 --restart Never >/dev/null
within 30 "and pods start" shown pod/after '.status.phase == "Running"'
holds "nobody was restarted" [ "$(lives)" = "$before" ]
within 30 "the nodes are ready again, if they were not all the time" all_ready

# Pods that are evicted when their node is gone.
kubectl scale deploy/web --replicas 9 >/dev/null
within 60 "pods on the node that will fail" pods app=web 'any(.items[]; .spec.nodeName == "mock-2" and .status.phase == "Running")'
kill -KILL "$pid_second"
wait "$pid_second" 2>/dev/null || true
within 60 "a node whose process was killed is unknown" ready mock-2 Unknown
within 60 "its pods are replaced on other nodes" shown deploy/web '.status.availableReplicas == 9'
rm "$scratch/second.out"
start_nodes second --nodes 1 --first 2 --control off
within 30 "the node comes back" ready mock-2 True
gone() { kubectl get pods -o json | jq -e 'all(.items[]; .metadata.deletionTimestamp == null)' >/dev/null; }
within 60 "and ends what was to end there" gone
within 60 "its DaemonSet has a pod again" shown ds/agent '.status.numberReady == 3'
