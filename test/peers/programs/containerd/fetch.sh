#!/usr/bin/env bash
# Prints the path of a containerd of the given version, which versions.yaml pins: built from its Go module, or unpacked
# from a newer Debian suite than the system's. It is kept under $MOCKRI_PEERS, not installed.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
series=${1:?usage: fetch.sh 2.4|2.3|2.1|1.7}
version=$(version_of "containerd-$series")

# unpack SUITE: Debian's package.
unpack() {
  # A package index of its own, so that the system's sources stay as they are.
  local apt="$scratch/apt" uri options
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  uri=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -1)
  [ -n "$uri" ] || uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep debian/ | head -1)
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $1 main" >"$apt/sources.list"
  options=(-o APT::Sandbox::User=root -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache")
  apt-get "${options[@]}" update -qq >&2
  (cd "$apt" && apt-get "${options[@]}" download -qq containerd >&2)
  dpkg -x "$apt"/containerd_*.deb "$scratch/root"
}

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

case $series in
  2.1) make=(unpack sid) ;;
  1.7) make=(unpack trixie) ;;
  *) make=(build) ;;
esac
kept "containerd-$series" usr/bin/containerd "${make[@]}"
