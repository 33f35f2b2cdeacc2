# Sourced by start.sh: containerd's config, its network and its registries.
# shellcheck shell=bash

# write_config DIR VERSION
write_config() {
  write_network "$1"
  write_mirrors "$1"
  write_plugins "$1" "$2" >"$1/config.toml"
}

# A bridge, and host ports.
write_network() {
  mkdir -p "$1/cni"
  cat >"$1/cni/10-bridge.conflist" <<'J'
{"cniVersion": "0.4.0", "name": "peers", "plugins": [
  {"type": "bridge", "bridge": "cni-peers", "isGateway": true, "ipMasq": true, "ipam": {
    "type": "host-local", "ranges": [[{"subnet": "10.88.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
J
}

# All images come from the local registry, whatever host their name has.
write_mirrors() {
  local host
  for host in localhost:5000 registry.k8s.io gcr.io k8s.gcr.io; do
    mkdir -p "$1/certs.d/$host"
    cat >"$1/certs.d/$host/hosts.toml" <<'T'
server = "http://localhost:5000"
[host."http://localhost:5000"]
  capabilities = ["pull", "resolve"]
T
  done
}

# Each has a socket of its own for node resource plugins. restrict_oom_score_adj: without CAP_SYS_RESOURCE runc can't lower it and dies.
write_plugins() {
  cat <<T
version = 3
root = "$1/root-$2"
state = "$1/state-$2"
[grpc]
  address = "$1/containerd.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "native"
  use_local_image_pull = ${LOCAL_PULL:-true}
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "localhost:5000/pause:3.9"
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = "$1/certs.d"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "$1/cni"
[plugins."io.containerd.transfer.v1.local"]
  [[plugins."io.containerd.transfer.v1.local".unpack_config]]
    platform = "linux"
    snapshotter = "native"
[plugins."io.containerd.image-verifier.v1.bindir"]
  bin_dir = "$1/verifiers"
[plugins."io.containerd.nri.v1.nri"]
  socket_path = "$1/nri.sock"
  plugin_path = "$1/nri-plugins"
  plugin_config_path = "$1/nri-config"
  plugin_request_timeout = "30s"
T
}
