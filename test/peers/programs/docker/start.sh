#!/usr/bin/env bash
# Docker Engine with directories of its own, and a registry of its own that stands for all others:
#   start.sh DIR [DOCKERD_FLAG...]   prints the engine's address, unix://DIR/docker.sock; REGISTRY_PORT: the registry's,
#                                    any by default
#   stop.sh DIR
# Needs root and Debian's packages. All images of the tests are a busybox under many names.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/engine.sh"
dir=$(mkdir -p "${1:?usage: start.sh DIR [DOCKERD_FLAG...]}" && cd "$1" && pwd)
[ "$(id -u)" = 0 ] || skip 'dockerd needs root'
need docker dockerd docker-registry busybox ip curl

# Sets $port. When something else has got the port meanwhile, the next try takes any other.
start_registry() {
  port=${REGISTRY_PORT:-$(free_port)}
  unset REGISTRY_PORT
  cat >"$dir/registry.yml" <<Y
version: 0.1
storage: {filesystem: {rootdirectory: $dir/registry}}
http: {addr: "127.0.0.1:$port"}
Y
  setsid docker-registry serve "$dir/registry.yml" >"$dir/registry.log" 2>&1 &
  echo $! >"$dir/registry.pid"
  await_service "$dir" registry serves_images
}
serves_images() { curl -fsS "http://127.0.0.1:$port/v2/" && runs "$dir" registry; }
start_services "$dir" registry start_registry
# That of an earlier engine in this directory must not be taken for the new one.
rm -f "$dir/proxy.port"
setsid node "$here/proxy.mjs" "$port" >"$dir/proxy.port" 2>"$dir/proxy.log" &
echo $! >"$dir/proxy.pid"
await 10 test -s "$dir/proxy.port"

start_engine "$dir" "${@:2}"
bash "$here/images.sh" "$dir" "localhost:$port" >&2
echo "unix://$dir/docker.sock"
