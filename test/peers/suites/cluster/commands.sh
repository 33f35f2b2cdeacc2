# Sourced by run.sh: what people do with kubectl.
# shellcheck shell=bash
pod=$(kubectl get pods -l app=web --field-selector status.phase=Running -o jsonpath='{.items[0].metadata.name}')

lines() { kubectl logs "$pod" -c side "$@" | wc -l; }
has_lines() { [ "$(lines)" -ge 3 ]; }
within 20 "logs" has_lines
holds "logs --tail" [ "$(lines --tail 2)" = 2 ]
holds "logs --since" [ "$(lines --since 1h)" -ge 2 ]
holds "logs --limit-bytes" [ "$(kubectl logs "$pod" -c side --limit-bytes 7 | wc -c)" = 7 ]
kubectl logs -f "$pod" -c side --tail 1 --timestamps >"$scratch/followed" &
following=$!
goes_on() { [ "$(wc -l <"$scratch/followed")" -ge 3 ]; }
within 20 "logs -f goes on" goes_on
kill "$following"
holds "with timestamps" grep -qE '^[0-9-]{10}T[0-9:.]{18}Z ' "$scratch/followed"
# Between its creation and its start a container has no line yet.
ended_logs() { [ "$(kubectl logs crash)" = run ]; }
within 20 "logs of a container that has ended" ended_logs
holds "logs of a container that isn't there" grep -q 'container none is not valid' <(kubectl logs "$pod" -c none 2>&1)

status=0
kubectl exec "$pod" -c app -- sh -c 'exit 4' 2>/dev/null || status=$?
holds "exec tells the exit code" [ "$status" = 4 ]
holds "exec -i" [ "$(echo 'echo from stdin' | kubectl exec -i "$pod" -c side -- sh)" = "from stdin" ]
status=0
(sleep 2 && echo 'tty; exit 5') | script -qec "kubectl exec -it $pod -c side -- sh" /dev/null >"$scratch/terminal" || status=$?
holds "exec -it has a terminal" grep -q '^/dev/pts/0' "$scratch/terminal"
holds "and its exit code" [ "$status" = 5 ]
kubectl attach "$pod" -c side >"$scratch/attached" 2>/dev/null &
attached=$!
within 20 "attach" grep -q : "$scratch/attached"
kill "$attached"

port=$(free_port)
kubectl port-forward "$pod" "$port:80" >"$scratch/forward" 2>&1 &
forwarding=$!
within 10 "port-forward" grep -q Forwarding "$scratch/forward"
holds "reaches the server in the pod" grep -q 'Welcome to nginx' <(curl -fs "http://127.0.0.1:$port/")
kill "$forwarding"

mkdir "$scratch/there"
seq 20000 >"$scratch/there/numbers"
kubectl cp "$scratch/there" "$pod:/tmp/there" -c side 2>/dev/null
kubectl cp "$pod:/tmp/there" "$scratch/back" -c side >/dev/null 2>&1
holds "cp there and back" cmp "$scratch/there/numbers" "$scratch/back/numbers"

# Of the node that the pod is on; metrics-server reads the same for kubectl top: see top.sh.
node=$(kubectl get pod "$pod" -o jsonpath='{.spec.nodeName}')
raw() { kubectl get --raw "/api/v1/nodes/$node/proxy/$1"; }
used() { grep -q "^container_memory_working_set_bytes{container=\"app\",namespace=\"default\",pod=\"$pod\"} [1-9]" <(raw metrics/resource); }
within 20 "usage" used
in_summary() { raw stats/summary | jq -e ".node.nodeName == \"$node\" and any(.pods[]; .podRef.name == \"$pod\")"; }
within 20 "summary" in_summary
holds "health" [ "$(raw healthz)" = ok ]

kubectl debug "$pod" --image busybox:1 --target side --container debugger -- sh -c 'ps; sleep 1000' >/dev/null 2>&1
debugging() { kubectl get pod "$pod" -o json | jq -e 'any(.status.ephemeralContainerStatuses[]; .name == "debugger" and .state.running)' >/dev/null; }
within 20 "debug of a pod" debugging
processes() { [ "$(kubectl logs "$pod" -c debugger | wc -l)" -gt 3 ]; }
within 20 "sees the processes of its target" processes
holds "exec in the debugger" [ "$(kubectl exec "$pod" -c debugger -- echo there)" = there ]
holds "the pod keeps running" [ "$(kubectl get pod "$pod" -o json | jq '[.status.containerStatuses[].restartCount] | add')" = 0 ]

kubectl debug "node/$node" --image busybox:1 -- sh -c 'echo debugging' >/dev/null 2>&1
debugger() { kubectl get pods -o json | jq -e ".items[] | select(.metadata.name | startswith(\"node-debugger-$node\")) | .status.phase == \"Succeeded\"" >/dev/null; }
within 20 "debug of a node" debugger

# The server itself decides, not only the API server in front of it.
server=$(kubectl get node "$node" -o json | jq -r '"\(.status.addresses[0].address):\(.status.daemonEndpoints.kubeletEndpoint.Port)"')
as_nobody() { curl -s --cacert "$cluster/pki/ca.crt" -o /dev/null -w '%{http_code}' "https://$server/pods" "$@"; }
holds "nobody without a token" [ "$(as_nobody)" = 401 ]
holds "no account without the right" [ "$(as_nobody -H "Authorization: Bearer $(kubectl create token default)")" = 403 ]

holds "drain" kubectl drain mock-2 --ignore-daemonsets --force --delete-emptydir-data --timeout 60s >/dev/null 2>&1
on_mock_2() { kubectl get pods -A --field-selector spec.nodeName=mock-2 -o json | jq -e 'all(.items[]; .metadata.ownerReferences[0].kind == "DaemonSet")' >/dev/null; }
within 20 "leaves only pods of DaemonSets" on_mock_2
kubectl uncordon mock-2 >/dev/null
