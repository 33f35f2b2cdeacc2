# Sourced by run.sh: the same pods on a mock node and on the real kubelet over `mockri serve`; status and events have to
# be the same, but for what compare.jq and events.jq leave out with their reasons.
# shellcheck shell=bash
start_mockri
bash "$plane" user "$cluster" real /O=system:nodes/CN=system:node:real
port=$(free_port)
sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|0|; /^staticPodPath\|^featureGates\|^runtimeRequestTimeout/d" \
  "$here/../real-kubelet/kubelet.yaml" >"$scratch/kubelet.yaml"
echo 'clusterDNS: [10.0.0.10]' >>"$scratch/kubelet.yaml"
kubelet --config "$scratch/kubelet.yaml" --kubeconfig "$cluster/real.kubeconfig" --root-dir "$scratch/root" \
  --cert-dir "$scratch/pki" --hostname-override real >"$scratch/kubelet.log" 2>&1 &
at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | sort -r | xargs -r umount"
within 30 "the real kubelet joins" ready real True

for node in real mock-0; do sed "s/\$NODE/$node/g" "$here/compare.yaml" | kubectl apply -f - >/dev/null; done
settled() {
  kubectl get pods -l compare="$1" -o json | jq -e '[.items[] | {key: .metadata.name[0:5], value: .status}] | from_entries |
    .stead.containerStatuses[0].ready and .never.phase == "Failed" and .["init-"].phase == "Failed" and
    (.crash.containerStatuses[0] | .restartCount == 2 and .state.running == null) and
    .missi.containerStatuses[0].state.waiting.reason == "CreateContainerConfigError" and .unrea.containerStatuses[0].started' >/dev/null
}
for node in real mock-0; do
  within 60 "the pods on $node settle" settled "$node"
  kubectl get pods -l compare="$node" -o json | jq -S --arg node "$node" -f "$here/compare.jq" >"$scratch/status-$node"
  kubectl get events -o json | jq -r --arg node "$node" -f "$here/events.jq" | sort -u >"$scratch/events-$node"
done
holds "status is that of the real kubelet" diff "$scratch/status-real" "$scratch/status-mock-0"
holds "events are those of the real kubelet" diff "$scratch/events-real" "$scratch/events-mock-0"
