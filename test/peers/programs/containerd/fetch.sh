#!/usr/bin/env bash
# Prints the path of a containerd of the given version, which versions.yaml pins, built from its Go module and kept under $MOCKRI_PEERS.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
series=${1:?usage: fetch.sh 2.4|2.3}
version=$(version_of "containerd-$series")

# build: containerd, its shim and ctr from the Go module. Three minutes on two cores.
build() {
  local command
  command -v go >/dev/null || skip "go is needed to build containerd (1.26.6 or later, or GOTOOLCHAIN=auto)"
  say "building containerd $version ..."
  module_source github.com/containerd/containerd/v2
  for command in containerd containerd-shim-runc-v2 ctr; do
    (cd "$scratch/source" && nice go build -mod=mod -trimpath -buildvcs=false -tags no_btrfs -ldflags '-s -w' \
      -o "$scratch/root/usr/bin/$command" "./cmd/$command") >&2
  done
}

kept "containerd-$series" usr/bin/containerd build
