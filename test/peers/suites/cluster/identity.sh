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

# Without the right to approve, somebody else does.
kubectl delete clusterrolebinding mockri-serving-certificates mockri-node-approval >/dev/null
start_nodes_without_wait bare --name bare --control off
requests_of() {
  kubectl get csr -o json | jq -r --arg signer "kubernetes.io/$1" '.items[] | select(.spec.signerName == $signer and .status == {} and
    (.metadata.name | startswith("mockri-bare-"))).metadata.name'
}
approve() { local name && name=$(requests_of "$1") && [ -n "$name" ] && kubectl certificate approve "$name" >/dev/null; }
within 20 "the node's request waits for somebody" approve kube-apiserver-client-kubelet
within 20 "then the node is ready" ready bare True
within 20 "and asks for the certificate of its kubelet server" approve kubelet-serving
served() { [ "$(kubectl logs bare-pod)" = here ]; }
jq -n '{apiVersion: "v1", kind: "Pod", metadata: {name: "bare-pod"}, spec: {nodeName: "bare", terminationGracePeriodSeconds: 1,
  containers: [{name: "app", image: "busybox:1", command: ["sh", "-c", "echo here; sleep 1000000"]}]}}' | kubectl create -f - >/dev/null
within 20 "which the API server then trusts" served
kill "$pid_bare" && wait "$pid_bare"
kubectl delete pod bare-pod --force --grace-period 0 >/dev/null 2>&1
kubectl delete node bare >/dev/null
bash "$plane" grant "$cluster"
