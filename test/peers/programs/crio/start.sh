#!/usr/bin/env bash
# Real CRI-O as a CRI endpoint, built from its Go module, with runc and conmon of Debian:
#   start.sh DIR [1.36]   prints the endpoint, unix://DIR/crio.sock
#   stop.sh DIR
# Needs root, and Go to build it. Images are pulled from a registry on 127.0.0.1:5034, which is started and filled if none
# listens there.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../service.sh"
source "$here/config.sh"
dir=$(mkdir -p "${1:?usage: start.sh DIR [1.36]}" && cd "$1" && pwd)
version=${2:-1.36}
[ -n "$(version_of "crio-$version")" ] || { say "unknown version $version: versions.yaml has no crio-$version"; exit 2; }
[ "$(id -u)" = 0 ] || skip 'CRI-O needs root'

need jq runc conmon docker-registry docker dockerd busybox
[ -d /usr/lib/cni ] || bash "$here/../../install.sh" /usr/lib/cni/bridge
program=$(bash "$here/fetch.sh" "$version")
bash "$here/../containerd/registry.sh" "$dir" 5034

mkdir -p "$dir"/{exits,namespaces}
# A socket's path has 107 characters at most, and below this directory come a container's id of 64 and a name.
attach=$(mktemp -d /run/crio-XXXXXX)
rm -rf "$dir/attach"
ln -s "$attach" "$dir/attach"
write_config "$dir" localhost:5034 "${program%/*}/pinns" "$attach"
# The socket of one that was killed must not be taken for the new one's.
start_crio() {
  rm -f "$dir/crio.sock"
  HOME="$dir" setsid "$program" --config "$dir/crio.conf" --config-dir "$dir/crio.conf.d" \
    --registries-conf "$dir/registries.conf" --registries-conf-dir "$dir/registries.conf.d" >"$dir/crio.log" 2>&1 &
  echo $! >"$dir/crio.pid"
  await_service "$dir" crio test -S "$dir/crio.sock"
}
start_services "$dir" crio start_crio
# It looks at its network every half second.
sleep 1
echo "unix://$dir/crio.sock"
