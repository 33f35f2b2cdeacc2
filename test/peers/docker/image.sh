#!/usr/bin/env bash
# image.sh DIR: builds the Dockerfile with the engine of start.sh, on this machine's own Node for want of a registry, and
# runs a server and a kubelet of it as docker-compose.yml would.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
export DOCKER_HOST="unix://${1:?usage: image.sh DIR}/docker.sock"

# A base image: Node with npm, a shell, and what they need.
root="$scratch/node"
mkdir -p "$root"/{bin,etc,tmp,run,usr/bin,var/log}
chmod 1777 "$root/tmp"
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in sh mkdir chown chmod ls cat env rm id; do ln -s busybox "$root/bin/$applet"; done
ln -s /bin/busybox "$root/usr/bin/env"
cp "$(readlink -f "$(command -v node)")" "$root/bin/node"
ldd "$root/bin/node" | grep -o '/[^ ]*' | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
npm_root=$(readlink -f "$(command -v npm)")
npm_root=${npm_root%/bin/npm-cli.js}
mkdir -p "$root/npm" && cp -rL "$npm_root/." "$root/npm/"
printf '#!/bin/sh\nexec node /npm/bin/npm-cli.js "$@"\n' >"$root/bin/npm"
chmod +x "$root/bin/npm"
printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
mkdir -p "$root/etc/ssl/certs" && cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" 2>/dev/null || true
tar -C "$root" -c . | docker import -c 'ENV PATH=/bin NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - mockri-node:local >/dev/null

docker build -q --network host --build-arg NODE=mockri-node:local \
  --build-arg NPM_CONFIG_REGISTRY="$(npm config get registry 2>/dev/null)" -t mockri "$repository" >/dev/null
volumes=(-v compose-socket:/run/mockri -v compose-logs:/var/log/mockri -v compose-pods:/var/lib/mockri)
docker run -d --name compose-server --read-only --tmpfs /tmp "${volumes[@]}" mockri >/dev/null
at_exit 'docker rm -fv compose-server compose-kubelet; docker volume rm compose-socket compose-logs compose-pods'
docker run -d --name compose-kubelet --read-only --tmpfs /tmp "${volumes[@]}" -v "$repository/docs/compose/pods:/pods:ro" \
  mockri kubelet --container-runtime-endpoint=unix:///run/mockri/cri.sock --pod-manifest-path=/pods \
  --root-dir=/var/lib/mockri --pod-logs-dir=/var/log/mockri --hostname-override=mock-node >/dev/null
kubelet_shows() { docker logs compose-kubelet 2>&1 | grep -q "$1"; }
await 30 kubelet_shows 'steady-mock-node .*Running' && await 30 kubelet_shows CrashLoopBackOff || {
  docker logs compose-server >&2
  docker logs compose-kubelet >&2
  exit 1
}
[ "$(docker run --rm --entrypoint id mockri -u)" = 65532 ]
echo "the image runs as 65532, $(docker image inspect -f '{{.Size}}' mockri) bytes on this machine's Node"
