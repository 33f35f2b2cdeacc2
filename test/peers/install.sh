#!/usr/bin/env bash
# Installs peers that are missing: install.sh [PROGRAM...]; all that tests use by default.
# What is built is kept under $MOCKRI_PEERS (default ~/.cache/mockri-peers).
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# crictl and critest at the version that tools/go.mod pins. critest is a test binary, which go install can't build.
build_with_go() {
  command -v go >/dev/null || { say "go is needed to build $1 (1.26.6 or later, or GOTOOLCHAIN=auto)"; return 1; }
  mkdir -p "$peers/bin"
  cd "$repository/test/peers/programs/tools"
  case $1 in
    crictl) GOBIN="$peers/bin" GOFLAGS=-mod=readonly go install sigs.k8s.io/cri-tools/cmd/crictl ;;
    critest) GOFLAGS=-mod=readonly go test -vet=off -c -o "$peers/bin/critest" sigs.k8s.io/cri-tools/cmd/critest ;;
  esac
}

# A whole Kubernetes in one binary, and a link to it for each of its programs. About six minutes on two cores.
build_kubernetes() {
  local version=k8s.io/component-base/version program minor
  command -v go >/dev/null || { say "go is needed to build Kubernetes (1.26 or later, or GOTOOLCHAIN=auto)"; return 1; }
  mkdir -p "$peers/bin"
  minor=$(version_of kubernetes) && minor=${minor#v1.} && minor=${minor%.*}
  (cd "$repository/test/peers/programs/kubernetes" && nice go build -o "$peers/bin/kubernetes" -buildvcs=false -ldflags \
    "-s -w -X $version.gitVersion=$(version_of kubernetes) -X $version.gitMajor=1 -X $version.gitMinor=$minor" .) || return
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet; do
    ln -sf kubernetes "$peers/bin/$program"
  done
}

# The program of the image that most of Kubernetes' own tests use. It is static, so all of its packages are
# compiled again without cgo.
build_agnhost() {
  local build="$repository/test/peers/slow/node-e2e/build"
  command -v go >/dev/null || { say "go is needed to build agnhost (1.26 or later, or GOTOOLCHAIN=auto)"; return 1; }
  mkdir -p "$peers/bin"
  cp "$build/go.mod" "$build/go.sum" "$scratch"
  cd "$build" && CGO_ENABLED=0 nice go build -mod=mod -modfile "$scratch/go.mod" -buildvcs=false -ldflags '-s -w' \
    -o "$peers/bin/agnhost" k8s.io/kubernetes/test/images/agnhost
}

# cri-dockerd from its Go module. About ten minutes on one core.
build_cri_dockerd() {
  local module
  command -v go >/dev/null || { say "go is needed to build cri-dockerd (1.25 or later, or GOTOOLCHAIN=auto)"; return 1; }
  module=$(cd "$scratch" && go mod download -json "github.com/Mirantis/cri-dockerd@$(version_of cri-dockerd)" | jq -r '.Dir // empty')
  [ -n "$module" ] || return
  mkdir -p "$peers/bin"
  cp -r "$module" "$scratch/cri-dockerd" && chmod -R u+w "$scratch/cri-dockerd" && cd "$scratch/cri-dockerd" || return
  nice go build -mod=mod -trimpath -buildvcs=false -ldflags '-s -w' -o "$peers/bin/cri-dockerd" .
}

# debian PACKAGE...: from the distribution's own archive.
debian() {
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { say "install $* (as root, from Debian)"; return 1; }
  export DEBIAN_FRONTEND=noninteractive
  apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1 && return
  apt-get update -qq && apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_peer() {
  case $1 in
    crictl | critest) build_with_go "$1" ;;
    kubernetes | kubelet) build_kubernetes ;;
    agnhost) build_agnhost ;;
    cri-dockerd) build_cri_dockerd ;;
    conmon) debian conmon ;;
    gcc) debian gcc libc6-dev ;;
    pkg-config) debian pkg-config ;;
    libseccomp-dev) debian libseccomp-dev ;;
    metrics-server) GOBIN="$peers/bin" nice go install "sigs.k8s.io/metrics-server/cmd/metrics-server@$(version_of metrics-server)" ;;
    kwok) GOBIN="$peers/bin" nice go install "sigs.k8s.io/kwok/cmd/kwok@$(version_of kwok)" ;;
    grpcurl) GOBIN="$peers/bin" nice go install "github.com/fullstorydev/grpcurl/cmd/grpcurl@$(version_of grpcurl)" ;;
    actionlint) GOBIN="$peers/bin" go install "github.com/rhysd/actionlint/cmd/actionlint@$(version_of actionlint)" ;;
    protoc) debian protobuf-compiler ;;
    grpc_python_plugin) debian protobuf-compiler-grpc python3-grpcio python3-protobuf ;;
    h2load) debian nghttp2-client ;;
    runc) debian runc ;;
    docker-registry) debian docker-registry ;;
    docker-compose) debian docker-compose ;;
    openssl) debian openssl ;;
    dockerd | docker) debian docker.io iptables ;;
    busybox) debian busybox-static ;;
    socat) debian socat ;;
    ip) debian iproute2 ;;
    /usr/lib/cni/bridge) debian containernetworking-plugins iptables iproute2 ;;
    jq) debian jq ;;
    zsh) debian zsh ;;
    fish) debian fish ;;
    curl) debian curl ;;
    chromium) debian chromium fonts-dejavu-core ;;
    *) say "don't know how to install $1"; return 1 ;;
  esac
}

[ $# -gt 0 ] || set -- crictl critest h2load
# Another peer may be about to install the same.
exec 9>"$peers/install.lock"
flock 9
for program in "$@"; do
  has "$program" && continue
  say "installing $program ..."
  (install_peer "$program" 9>&-)
  [ -z "$(version_of "$program")" ] || version_of "$program" >"$peers/bin/.$program.version"
done
