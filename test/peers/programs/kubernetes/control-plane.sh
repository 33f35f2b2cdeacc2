#!/usr/bin/env bash
# A Kubernetes control plane on loopback: etcd, kube-apiserver, kube-controller-manager, kube-scheduler.
#   control-plane.sh start DIR [PROGRAM]   all of it, or one program that was stopped
#   control-plane.sh stop DIR [PROGRAM]    with SIGKILL, as a crash
#   control-plane.sh user DIR NAME SUBJECT writes DIR/NAME.kubeconfig for a user with a certificate
#   control-plane.sh commands DIR          prints the command of each program as a JSON array, and starts none
#   control-plane.sh grant DIR             gives mock nodes the rights that deploy/kubernetes gives them
# DIR holds the state, the certificates, PROGRAM.log, PROGRAM.pid, and three kubeconfigs: `admin.kubeconfig`,
# `nodes.kubeconfig` of the account of deploy/kubernetes, and `account.kubeconfig` of one that may be all nodes itself.
# Settings from the environment: NODE_GRACE (seconds until a silent node is unknown, default 40),
# TOLERATION_SECONDS (until pods of such a node are evicted, default 300).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"

usage() { say "usage: control-plane.sh start|stop DIR [PROGRAM], user DIR NAME SUBJECT, or commands|grant DIR" && exit 2; }
[ $# -ge 2 ] || usage
action=$1 dir=$(mkdir -p "$2" && cd "$2" && pwd) only=${3:-}
pki="$dir/pki"

# certificate NAME CA SUBJECT [SAN]: NAME.crt and NAME.key, signed by the authority CA.
certificate() {
  local usage=clientAuth
  [ $# -lt 4 ] || usage="clientAuth,serverAuth
subjectAltName=$4"
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/$1.key" -subj "$3" 2>/dev/null |
    openssl x509 -req -CA "$pki/$2.crt" -CAkey "$pki/$2.key" -days 3650 -out "$pki/$1.crt" \
      -extfile <(echo "extendedKeyUsage=$usage") 2>/dev/null
}

authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$pki/$1.key" -out "$pki/$1.crt" \
    -days 3650 -subj "/CN=$1" 2>/dev/null
}

# kubeconfig NAME USER: how a user of the cluster reaches the API server.
kubeconfig() {
  jq -n --arg server "https://127.0.0.1:$api_port" --arg ca "$(base64 -w0 "$pki/ca.crt")" --argjson user "$2" '{
    apiVersion: "v1", kind: "Config", "current-context": "peer",
    clusters: [{name: "peer", cluster: {server: $server, "certificate-authority-data": $ca}}],
    users: [{name: "user", user: $user}],
    contexts: [{name: "peer", context: {cluster: "peer", user: "user"}}]
  }' >"$dir/$1.kubeconfig"
}

# kubeconfig_of NAME SUBJECT: the same, for a user with a client certificate.
kubeconfig_of() {
  certificate "$1" ca "$2"
  kubeconfig "$1" "$(jq -n --arg crt "$(base64 -w0 "$pki/$1.crt")" --arg key "$(base64 -w0 "$pki/$1.key")" \
    '{"client-certificate-data": $crt, "client-key-data": $key}')"
}

prepare() {
  mkdir "$pki"
  etcd_port=$(free_port) peer_port=$(free_port) api_port=$(free_port)
  declare -p etcd_port peer_port api_port >"$dir/ports"
  authority ca
  authority front-proxy-ca
  certificate apiserver ca /CN=kube-apiserver \
    "IP:127.0.0.1,IP:10.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc"
  certificate apiserver-kubelet-client ca /O=system:masters/CN=kube-apiserver-kubelet-client
  certificate front-proxy-client front-proxy-ca /CN=front-proxy-client
  openssl ecparam -name prime256v1 -genkey -noout -out "$pki/sa.key"
  openssl ec -in "$pki/sa.key" -pubout -out "$pki/sa.pub" 2>/dev/null
  kubeconfig_of admin /O=system:masters/CN=admin
  kubeconfig_of controller-manager /CN=system:kube-controller-manager
  kubeconfig_of scheduler /CN=system:kube-scheduler
}

# run PROGRAM FLAG...: in the background, beyond the end of this script. The action `commands` only prints it.
run() {
  [ "${only:-$1}" = "$1" ] || return 0
  if [ "$action" = commands ]; then printf '%s\n' "$@" | jq -cRn '[inputs]' && return; fi
  setsid "$@" >>"$dir/$1.log" 2>&1 </dev/null &
  echo $! >"$dir/$1.pid"
}

start_programs() {
  # shellcheck disable=SC1091
  source "$dir/ports"
  run etcd --data-dir "$dir/etcd" --unsafe-no-fsync --logger zap --log-level warn --quota-backend-bytes 8589934592 \
    --auto-compaction-mode periodic --auto-compaction-retention 5m \
    --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
    --listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port"
  run kube-apiserver --bind-address 127.0.0.1 --secure-port "$api_port" --etcd-servers "http://127.0.0.1:$etcd_port" \
    --endpoint-reconciler-type none --service-cluster-ip-range 10.0.0.0/16 --allow-privileged \
    --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --client-ca-file "$pki/ca.crt" --tls-cert-file "$pki/apiserver.crt" --tls-private-key-file "$pki/apiserver.key" \
    --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file "$pki/sa.pub" --service-account-signing-key-file "$pki/sa.key" \
    --kubelet-certificate-authority "$pki/ca.crt" --kubelet-preferred-address-types InternalIP \
    --kubelet-client-certificate "$pki/apiserver-kubelet-client.crt" --kubelet-client-key "$pki/apiserver-kubelet-client.key" \
    --requestheader-client-ca-file "$pki/front-proxy-ca.crt" --requestheader-allowed-names front-proxy-client \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file "$pki/front-proxy-client.crt" --proxy-client-key-file "$pki/front-proxy-client.key" \
    --default-not-ready-toleration-seconds "${TOLERATION_SECONDS:-300}" \
    --default-unreachable-toleration-seconds "${TOLERATION_SECONDS:-300}"
  [ "$action" = commands ] || await 60 curl -fs --cacert "$pki/ca.crt" "https://127.0.0.1:$api_port/readyz" || failed kube-apiserver
  # Clients of the API server give up when it isn't there at their start.
  run kube-controller-manager --kubeconfig "$dir/controller-manager.kubeconfig" --leader-elect=false --secure-port 0 \
    --use-service-account-credentials --root-ca-file "$pki/ca.crt" --service-account-private-key-file "$pki/sa.key" \
    --cluster-signing-cert-file "$pki/ca.crt" --cluster-signing-key-file "$pki/ca.key" \
    --kube-api-qps 500 --kube-api-burst 1000 --node-monitor-grace-period "${NODE_GRACE:-40}s" --node-monitor-period 2s
  run kube-scheduler --kubeconfig "$dir/scheduler.kubeconfig" --leader-elect=false --secure-port 0 \
    --kube-api-qps 500 --kube-api-burst 1000
}

failed() {
  say "$1 does not start:"
  tail -n 20 "$dir/$1.log" >&2
  exit 1
}

admin() { kubectl --kubeconfig "$dir/admin.kubeconfig" "$@"; }

# grant_nodes: the service accounts of mock nodes. This API server verifies kubelet servers.
grant_nodes() {
  admin apply --server-side -f "$repository/deploy/kubernetes/rbac.yaml" \
    -f "$repository/deploy/kubernetes/serving-certificates/approval.yaml" -f "$here/account.yaml" >/dev/null
}

# kubeconfig_of_account NAME ACCOUNT
kubeconfig_of_account() {
  kubeconfig "$1" "$(jq -n --arg token "$(admin create token "$2" -n mockri --duration 24h)" '{token: $token}')"
}

grant() {
  grant_nodes
  kubeconfig_of_account nodes mockri
  kubeconfig_of_account account account
  # A cluster gets this account from its controller manager; pods without it are refused.
  await 30 admin get serviceaccount default -n default || failed kube-controller-manager
}

stop_programs() {
  local program pid
  for program in kube-scheduler kube-controller-manager kube-apiserver etcd; do
    [ "${only:-$program}" = "$program" ] && [ -e "$dir/$program.pid" ] || continue
    pid=$(<"$dir/$program.pid")
    # Not a process that has got the same id since.
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "${program:0:15}" ] && kill -KILL "$pid"
    await 5 test ! -e "/proc/$pid"
    rm "$dir/$program.pid"
  done
}

case $action in
  start)
    need kubernetes jq openssl curl
    [ -e "$pki" ] || prepare
    start_programs
    [ -e "$dir/nodes.kubeconfig" ] || grant
    ;;
  commands)
    need jq openssl
    [ -e "$pki" ] || prepare
    start_programs
    ;;
  stop) stop_programs ;;
  grant) grant_nodes ;;
  user)
    # shellcheck disable=SC1091
    source "$dir/ports"
    kubeconfig_of "$3" "$4"
    ;;
  *) usage ;;
esac
