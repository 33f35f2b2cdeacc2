# Sourced by run.sh: nodes are users of their own, and the account that starts them may do nothing but that.
# shellcheck shell=bash
account=system:serviceaccount:mockri:mockri
may() { [ "$(kubectl auth can-i --as "$account" -A "$@" 2>/dev/null)" = yes ]; }
may_not() { ! may "$@"; }
holds "the account asks for certificates" may create certificatesigningrequests
holds "the account reads no Secrets" may_not get secrets
holds "the account makes no tokens" may_not create serviceaccounts --subresource token
holds "the account sees no pods" may_not list pods
holds "the account changes no nodes" may_not update nodes

kubectl apply -f "$here/identity.yaml" >/dev/null
within 30 "a pod runs with a Secret, a ConfigMap and a token" shown pod/secretive '.status.containerStatuses[0].ready'
said() { [ "$(kubectl logs secretive | head -n 1)" = "swordfish blue" ] && [ "$(kubectl logs secretive | sed -n 2p)" -gt 100 ]; }
within 10 "which are those of the API server" said
# as_node NODE KUBECTL-ARGUMENT...: the Node authorizer and NodeRestriction judge a user that is impersonated as they judge the node.
as_node() { kubectl --as "system:node:$1" --as-group system:nodes --as-group system:authenticated "${@:2}" >/dev/null 2>&1; }
refused_to() { ! as_node "$@"; }
holds "the pod's node may read its Secret" as_node mock-0 get secret identity-password
holds "another node may not" refused_to mock-1 get secret identity-password
holds "nor see the pod" refused_to mock-1 get pods --field-selector spec.nodeName=mock-0
holds "nor change the other node" refused_to mock-1 label node mock-0 stolen=yes
holds "nor have a token of its account" refused_to mock-1 create token default --bound-object-kind Pod --bound-object-name secretive \
  --bound-object-uid "$(kubectl get pod secretive -o jsonpath='{.metadata.uid}')"
holds "nor read all Secrets" refused_to mock-0 get secrets
holds "nor have a token of an account that none of its pods uses" refused_to mock-0 -n mockri create token mockri
# writes_status NODE PATH: as that node. kubectl patch would read the status first, which no node may.
writes_status() {
  kubectl get --raw "$2" | jq '.status.message = "written" | del(.metadata.resourceVersion)' >"$scratch/written.json"
  as_node "$1" replace --raw "$2/status" -f "$scratch/written.json"
}
not_written() { ! writes_status "$@"; }
holds "the pod's node writes its status" writes_status mock-0 /api/v1/namespaces/default/pods/secretive
holds "another node does not" not_written mock-1 /api/v1/namespaces/default/pods/secretive
holds "nor delete it" refused_to mock-1 delete pod secretive
holds "a node writes its own status" writes_status mock-0 /api/v1/nodes/mock-0
holds "and not that of the other node" not_written mock-1 /api/v1/nodes/mock-0

# Without the right to approve, somebody else does.
kubectl delete clusterrolebinding mockri-serving-certificates mockri-node-approval >/dev/null
start_nodes_without_wait bare --name bare --control off --hostname-address none
requests_of() {
  kubectl get csr -o json | jq -r --arg signer "kubernetes.io/$1" '.items[] | select(.spec.signerName == $signer and .status == {} and
    (.metadata.name | startswith("mockri-bare-"))).metadata.name'
}
approve() { local name && name=$(requests_of "$1") && [ -n "$name" ] && kubectl certificate approve "$name" >/dev/null; }
within 20 "the node's request waits for somebody" approve kube-apiserver-client-kubelet
within 20 "then the node is ready" ready bare True
served() { [ "$(kubectl logs bare-pod)" = here ]; }
jq -n '{apiVersion: "v1", kind: "Pod", metadata: {name: "bare-pod"}, spec: {nodeName: "bare", terminationGracePeriodSeconds: 1,
  containers: [{name: "app", image: "busybox:1", command: ["sh", "-c", "echo here; sleep 1000000"]}]}}' | kubectl create -f - >/dev/null
address() {
  kubectl get node bare -o json | jq -r '"\(.status.addresses[] | select(.type == "InternalIP").address):\(.status.daemonEndpoints.kubeletEndpoint.Port)"'
}
# node_server PATH CURL-ARGUMENT...: asks the kubelet server with the certificate of the API server, which does not trust it yet.
node_server() {
  curl -sk --max-time 5 --cert "$cluster/pki/apiserver-kubelet-client.crt" --key "$cluster/pki/apiserver-kubelet-client.key" "https://$(address)$1" "${@:2}"
}
logged() { [ "$(node_server /containerLogs/default/bare-pod/app)" = here ]; }
ran() { [ "$(node_server '/run/default/bare-pod/app?cmd=echo%20there' -X POST)" = there ]; }
answers() { [ "$(node_server "$1" -X POST -o /dev/null -w '%{http_code}')" = "$2" ]; }
within 20 "logs before the certificate of the kubelet server is issued" logged
holds "commands too" ran
# As the real kubelet answers what is no upgrade (apimachinery pkg/util/proxy/upgradeaware.go).
holds "exec takes the client too, and asks for a stream" answers '/exec/default/bare-pod/app?command=true&output=1' 500
holds "port-forward too" answers /portForward/default/bare-pod 500
holds "a client without a certificate is refused" [ "$(curl -sk -o /dev/null -w '%{http_code}' "https://$(address)/pods")" = 401 ]
holds "the node has no name as its address" shown node/bare 'all(.status.addresses[]; .type != "Hostname")'
within 20 "and asks for the certificate of its kubelet server" approve kubelet-serving
within 20 "which the API server then trusts" served
kill "$pid_bare" && wait "$pid_bare"
kubectl delete pod bare-pod --force --grace-period 0 >/dev/null 2>&1
kubectl delete node bare >/dev/null
bash "$plane" grant "$cluster"
