# Sourced by run.sh: the same pods on a mock node and on the real kubelet over `mockri serve`; status and events have to
# be the same, but for what compare.jq and events.jq leave out with their reasons.
# shellcheck shell=bash
start_mockri
bash "$plane" user "$cluster" real /O=system:nodes/CN=system:node:real
port=$(free_port)
sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|0|; s|^staticPodPath:.*|staticPodPath: $scratch/static-real|; /^featureGates\|^runtimeRequestTimeout/d" \
  "$here/../real-kubelet/kubelet.yaml" >"$scratch/kubelet.yaml"
echo 'clusterDNS: [10.0.0.10]' >>"$scratch/kubelet.yaml"
kubelet --config "$scratch/kubelet.yaml" --kubeconfig "$cluster/real.kubeconfig" --root-dir "$scratch/root" \
  --cert-dir "$scratch/pki" --hostname-override real >"$scratch/kubelet.log" 2>&1 &
at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | sort -r | xargs -r umount"
within 30 "the real kubelet joins" ready real True

for node in real mock-0; do sed "s/\$NODE/$node/g" "$here/compare.yaml" | kubectl apply -f - >/dev/null; done
# Both kinds of node write what the API server makes of the same manifest.
for node in real mock-0; do sed "s/\$NODE/$node/g" "$here/static.yaml" >"$scratch/static-${node#mock-}/static.yaml"; done
settled() {
  kubectl get pods -l compare="$1" -o json | jq -e '[.items[] | {key: .metadata.name[0:5], value: .status}] | from_entries |
    .stead.containerStatuses[0].ready and .never.phase == "Failed" and .["init-"].phase == "Failed" and
    (.crash.containerStatuses[0] | .restartCount == 2 and .state.running == null) and
    .stati.containerStatuses[0].ready and .missi.containerStatuses[0].state.waiting.reason == "CreateContainerConfigError" and .unrea.containerStatuses[0].started' >/dev/null
}
for node in real mock-0; do
  within 60 "the pods on $node settle" settled "$node"
done
status_of() { kubectl get pods -l compare="$1" -o json | jq -S --arg node "$1" -f "$here/compare.jq"; }
events_of() { kubectl get events -o json | jq -r --arg node "$1" -f "$here/events.jq" | sort -u; }
# equal COMMAND: what it prints for both nodes. One of them may be a write behind the other.
equal() { diff <("$1" real) <("$1" mock-0); }
mirror() { kubectl get pod "static-$1" -o json | jq -S --arg node "$1" -f "$here/mirror.jq"; }
holds "a mirror pod is that of the real kubelet" diff <(mirror real) <(mirror mock-0)
within 20 "status is that of the real kubelet" equal status_of
within 20 "events are those of the real kubelet" equal events_of
[ "$failures" = 0 ] || for what in status_of events_of; do equal "$what" >&2 || true; done

uid() { kubectl get pod static-mock-0 -o jsonpath='{.metadata.uid}'; }
before=$(uid)
kubectl delete pod static-mock-0 >/dev/null
back() { [ -n "$(uid 2>/dev/null)" ] && [ "$(uid)" != "$before" ] && shown pod/static-mock-0 '.status.containerStatuses[0] | .ready and .restartCount == 0'; }
within 15 "a mirror pod that is deleted comes back" back
# end_of NODE: what the API shows of its static pod when the manifest goes.
end_of() {
  kubectl get pods --field-selector "metadata.name=static-$1" -w -o json --output-watch-events >"$scratch/end-$1.json" &
  local watch=$!
  await 10 test -s "$scratch/end-$1.json"
  rm "$scratch/static-${1#mock-}/static.yaml"
  gone() { grep -q '"type":"DELETED"' "$scratch/end-$1.json"; }
  within 30 "the mirror pod on $1 goes with its manifest" gone "$1"
  kill "$watch"
  jq -c '.object | [.status.phase, (.status.containerStatuses[0] | .ready, .state.terminated.exitCode)]' "$scratch/end-$1.json" | uniq
}
holds "it shows the end of its static pod as that of the real kubelet" diff <(end_of real) <(end_of mock-0)
