# Sourced by run.sh: kubectl top, by the real metrics-server, which reads /metrics/resource of every node.
# shellcheck shell=bash
need metrics-server
bash "$plane" user "$cluster" metrics-server /CN=metrics-server
port=$(free_port)
sed "s/\$PORT/$port/" "$here/top.yaml" | kubectl apply -f - >/dev/null
metrics-server --kubeconfig "$cluster/metrics-server.kubeconfig" \
  --authentication-kubeconfig "$cluster/metrics-server.kubeconfig" \
  --authorization-kubeconfig "$cluster/metrics-server.kubeconfig" --secure-port "$port" --bind-address 127.0.0.1 \
  --cert-dir "$scratch/metrics" --kubelet-certificate-authority "$cluster/pki/ca.crt" \
  --kubelet-preferred-address-types InternalIP --metric-resolution 10s --kubelet-request-timeout 5s --kubelet-use-node-status-port >"$scratch/metrics.log" 2>&1 &
at_exit "kill $! 2>/dev/null && wait $!"

# Two measurements are needed, ten seconds apart.
top_nodes() { [ "$(kubectl top nodes --no-headers | grep -cE '^mock-[012] +[1-9][0-9]*m .* [1-9][0-9]*Mi ')" = 3 ]; }
within 60 "top node" top_nodes
top_pods() { [ "$(kubectl top pods -l app=top --containers --no-headers | grep -cE '^top-\w+ +app +[1-9][0-9]*m +[1-9][0-9]*Mi')" = 2 ]; }
within 60 "top pod" top_pods
kubectl delete pods -l app=top --wait=false >/dev/null
sleep 25
holds "top node without the pods that have ended" top_nodes
