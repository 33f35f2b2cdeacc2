#!/usr/bin/env bash
# An engine behind TLS, and one whose disk is full: one of our own, which pulls as that of start.sh:  limits.sh DIR
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/docker/engine.sh"
source "$here/checks.sh"
need openssl
small="$scratch/small"
mkdir -p "$small/data" "$scratch/logs"
cp "${1:?usage: limits.sh DIR}/proxy.port" "$small/proxy.port"
mount -t tmpfs -o size=64m tmpfs "$small/data"
at_exit "bash '$here/../../programs/docker/stop.sh' '$small'; umount -q '$small/data'"

# certificate DIR NAME SUBJECT EXTENSION: signed by the directory's authority.
certificate() {
  openssl req -newkey rsa:2048 -nodes -keyout "$1/$2-key.pem" -subj "/CN=$3" -out "$1/$2.csr" 2>/dev/null
  openssl x509 -req -in "$1/$2.csr" -CA "$1/ca.pem" -CAkey "$1/ca-key.pem" -days 2 -out "$1/$2.pem" \
    -extfile <(echo "$4") 2>/dev/null
}
for authority in ours other; do
  of="$scratch/$authority"
  mkdir "$of"
  openssl req -x509 -newkey rsa:2048 -nodes -keyout "$of/ca-key.pem" -subj "/CN=$authority" -days 2 -out "$of/ca.pem" 2>/dev/null
  certificate "$of" cert client extendedKeyUsage=clientAuth
  mv "$of/cert-key.pem" "$of/key.pem"
done
ours="$scratch/ours" mixed="$scratch/mixed"
certificate "$ours" server engine subjectAltName=IP:127.0.0.1
mkdir "$mixed"
cp "$ours/ca.pem" "$scratch/other/cert.pem" "$scratch/other/key.pem" "$mixed"

port=$(free_port)
start_engine "$small" -H "tcp://127.0.0.1:$port" --tlsverify --tlscacert "$ours/ca.pem" --tlscert "$ours/server.pem" \
  --tlskey "$ours/server-key.pem"
tcp="tcp://127.0.0.1:$port"
refuses 'it speaks TLS; .*--docker-cert-path' $(serve --docker-host "$tcp")
refuses 'not signed by the authority in ca.pem' $(serve --docker-host "https://127.0.0.1:$port")
refuses 'not signed by the authority in ca.pem' $(serve --docker-host "$tcp" --docker-cert-path "$scratch/other")
refuses 'does not accept the certificate in cert.pem' $(serve --docker-host "$tcp" --docker-cert-path "$mixed")
refuses 'is for another host' $(serve --docker-host "tcp://localhost:$port" --docker-cert-path "$ours")
start_on "$tcp" --docker-cert-path "$ours"

write_pod web
cri pull "$busybox" >/dev/null
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
same 'exec through TLS' hello "$(cri exec -s "$container" echo hello)"

# The disk is full.
objects() { docker ps -aq --no-trunc | sort; }
before=$(objects)
head -c 1G /dev/zero >"$small/data/fill" 2>/dev/null || true
write_pod second
refuses 'ResourceExhausted.*no space left on device' crictl -t 20s -r "$endpoint" runp "$scratch/pod.json"
refuses 'ResourceExhausted.*no space left on device' crictl -t 20s -r "$endpoint" pull registry.k8s.io/e2e-test-images/nginx:1.14-2
same 'what Docker has afterwards' "$before" "$(objects)"
same 'the pod that was there' "$container" "$(cri ps -q)"
rm "$small/data/fill"
second=$(cri runp "$scratch/pod.json")
cri rmp -f "$pod" "$second" >/dev/null
same 'what is left in Docker' '' "$(objects)"
same 'what is left to list' '' "$(cri pods -q)"

# The disk of the logs is full: the container runs, and its end is seen.
mount -t tmpfs -o size=64k tmpfs "$scratch/logs"
at_exit "umount -q '$scratch/logs'"
write_pod talkative
sed -i 's/\["sleep","1000"\]/["sh","-c","seq 100000; exit 7"]/' "$scratch/container.json"
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
exited() { cri inspect -o go-template --template '{{.status.state}} {{.status.exitCode}}' "$container" | grep -q 'EXITED 7'; }
await 20 exited || { say 'a container whose log has no space does not end'; exit 1; }
grep -q 'no space left' "$scratch/mockri.log" || { say 'nobody is told that the log has no space'; exit 1; }
cri rmp -f "$pod" >/dev/null
same 'what is left in Docker' '' "$(objects)"
echo 'TLS is spoken, and a full disk told and survived'
