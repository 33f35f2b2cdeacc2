#!/usr/bin/env bash
# Prints the path of a CRI-O of the given version, which versions.yaml pins, built from its Go module with its helper that pins
# namespaces, and kept under $MOCKRI_PEERS. Needs Go and gcc. Four minutes on two cores.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
series=${1:?usage: fetch.sh 1.36}
version=$(version_of "crio-$series")

# build: without what needs libraries, except for seccomp: without it no container has a filter.
build() {
  local tags='seccomp containers_image_ostree_stub exclude_graphdriver_btrfs containers_image_openpgp'
  command -v go >/dev/null || skip "go is needed to build CRI-O (1.26.3 or later, or GOTOOLCHAIN=auto)"
  say "building CRI-O $version ..."
  module_source github.com/cri-o/cri-o
  mkdir -p "$scratch/root"
  cd "$scratch/source"
  # A proxy may refuse pre-releases; those that CRI-O names have become releases.
  sed -i -E 's/^(\tk8s.io\/.* v[0-9.]+)-rc\.[0-9]+/\1/' go.mod
  gcc -std=c99 -Os -static -o "$scratch/root/pinns" pinns/src/*.c >&2
  nice go build -mod=mod -trimpath -buildvcs=false -ldflags '-s -w' -tags "$tags" -o "$scratch/root/crio" ./cmd/crio >&2
}

# Before the lock that both hold.
if ! is_kept "crio-$series" crio; then
  need gcc pkg-config
  pkg-config --exists libseccomp || bash "$repository/test/peers/install.sh" libseccomp-dev >&2
fi
kept "crio-$series" crio build
