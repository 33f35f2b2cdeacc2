# Sourced by start.sh: CRI-O's config, its network and its registries.
# shellcheck shell=bash

# write_config DIR REGISTRY PINNS ATTACH
write_config() {
  write_network "$1"
  write_images "$1" "$2"
  write_runtime "$1"
  crio_config "$1" "$3" "$4" >"$1/crio.conf"
}

# A bridge, and host ports. Names and addresses are not those of the containerd beside it.
write_network() {
  mkdir -p "$1/cni"
  cat >"$1/cni/10-bridge.conflist" <<'J'
{"cniVersion": "0.4.0", "name": "crio-peers", "plugins": [
  {"type": "bridge", "bridge": "cni-crio-peers", "isGateway": true, "ipMasq": true, "ipam": {
    "type": "host-local", "ranges": [[{"subnet": "10.134.0.0/16"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}
]}
J
}

# All images come from the local registry, whatever host their name has. CRI-O looks for the policy of signatures in its
# home; one that the config names would make it refuse containers without user_specified_image.
write_images() {
  local host
  mkdir -p "$1/.config/containers"
  echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$1/.config/containers/policy.json"
  echo 'unqualified-search-registries = ["docker.io"]' >"$1/registries.conf"
  for host in localhost:5000 registry.k8s.io gcr.io docker.io; do
    printf '[[registry]]\nprefix = "%s"\nlocation = "%s"\ninsecure = true\n' "$host" "$2" >>"$1/registries.conf"
  done
}

# Without CAP_SYS_RESOURCE oomScoreAdj can't be lowered and runc dies: the runtime is a runc that gets configs without it.
# Where requests name no cgroup, those of CRI-O lie beside all that runs on the machine, and a sandbox gets 2 of its shares
# to 1,024 of each process: the start of one took 7 s at a load of 20, and up to 54 s at 60. It gets as much as others.
write_runtime() {
  cat >"$1/runc" <<W
#!/usr/bin/env bash
for ((index = 1; index < \$#; index++)); do
  [ "\${!index}" = --bundle ] || continue
  next=\$((index + 1))
  config=\${!next}/config.json
  jq -c 'del(.process.oomScoreAdj)
    | if .annotations["io.kubernetes.cri-o.ContainerType"] == "sandbox" then del(.linux.resources.cpu.shares) else . end' \\
    "\$config" >"\$config.new" && mv "\$config.new" "\$config"
done
exec $(command -v runc) "\$@"
W
  chmod +x "$1/runc"
}

# drop_infra_ctr and the rest are CRI-O's defaults; only places, cgroups, the runtime, the pause image and NRI are not. NRI is
# on where NRI=true, with its socket in DIR.
crio_config() {
  cat <<T
[crio]
root = "$1/storage"
runroot = "$1/run"
storage_driver = "overlay"
log_dir = "$1/logs"
version_file = "$1/version"
clean_shutdown_file = "$1/clean.shutdown"
[crio.api]
listen = "$1/crio.sock"
[crio.runtime]
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
pinns_path = "$2"
container_exits_dir = "$1/exits"
container_attach_socket_dir = "$3"
namespaces_dir = "$1/namespaces"
default_runtime = "runc"
[crio.runtime.runtimes.runc]
runtime_path = "$1/runc"
runtime_root = "$1/runc-state"
monitor_path = "$(command -v conmon)"
monitor_cgroup = "pod"
[crio.image]
pause_image = "localhost:5000/pause:3.9"
pause_command = ""
[crio.network]
network_dir = "$1/cni"
plugin_dirs = ["/usr/lib/cni"]
[crio.nri]
enable_nri = ${NRI:-false}
nri_listen = "$1/nri.sock"
nri_plugin_dir = "$1/nri-plugins"
nri_plugin_config_dir = "$1/nri-conf.d"
nri_plugin_request_timeout = "30s"
T
}
