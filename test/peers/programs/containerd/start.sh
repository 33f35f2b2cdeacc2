#!/usr/bin/env bash
# Real containerd as a CRI endpoint, from its Go module:
#   start.sh DIR [2.4|2.3]   prints the endpoint, unix://DIR/containerd.sock
#   stop.sh DIR
# Needs root. Images are pulled from a registry on 127.0.0.1:5000, which is started and filled if none listens there.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../service.sh"
source "$here/config.sh"
dir=$(mkdir -p "${1:?usage: start.sh DIR [2.4|2.3]}" && cd "$1" && pwd)
version=${2:-2.4}
[ -n "$(version_of "containerd-$version")" ] || { say "unknown version $version: versions.yaml has no containerd-$version"; exit 2; }
[ "$(id -u)" = 0 ] || skip 'containerd needs root'

need runc docker-registry docker dockerd busybox
[ -d /usr/lib/cni ] || bash "$here/../../install.sh" /usr/lib/cni/bridge
program=$(bash "$here/fetch.sh" "$version")
bash "$here/registry.sh" "$dir"

write_config "$dir" "$version"
# The socket of one that was killed must not be taken for the new one's. After its streaming server the CRI plugin is ready.
start_containerd() {
  rm -f "$dir"/containerd.sock*
  PATH="$(dirname "$program"):$PATH" setsid "$program" -c "$dir/config.toml" >"$dir/containerd.log" 2>&1 &
  echo $! >"$dir/containerd.pid"
  await_service "$dir" containerd "$(dirname "$program")/ctr" -a "$dir/containerd.sock" version &&
    await_service "$dir" containerd grep -q 'Start streaming server' "$dir/containerd.log"
}
start_services "$dir" containerd start_containerd
echo "unix://$dir/containerd.sock"
