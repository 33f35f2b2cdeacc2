#!/usr/bin/env bash
# Plugins of containerd/nri and containers/nri-plugins as they are, all at once, with static pods of the real kubelet.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/samples.sh"
need kubelet crictl jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"

# The configuration of a plugin that the server starts. It has a quarter of the limit in memory.high.
mkdir -p "$scratch/plugins/conf.d" "$scratch/manifests" "$scratch/hooks"
if memory_qos=$(sample memory-qos); then
  ln -s "$memory_qos" "$scratch/plugins/70-memory-qos"
  printf 'classes:\n- name: bronze\n  swaplimitratio: 0.75\n' >"$scratch/plugins/conf.d/memory-qos.conf"
fi
start_mockri --profile containerd-2.4 --nri-socket "$scratch/nri.sock" --nri-plugin "$scratch/plugins" --nri-request-timeout 20s
export CONTAINER_RUNTIME_ENDPOINT=$endpoint CRI_CONFIG_FILE=$scratch/crictl.yaml
printf 'timeout: 60\n' >"$CRI_CONFIG_FILE"

names=() left_out=()
[ -n "${memory_qos:-}" ] && names+=(memory-qos) || left_out+=(memory-qos)
# begin NAME INDEX COMMAND...: starts a plugin, and waits until it is taken in.
begin() {
  local name=$1 index=$2
  shift 2
  "$@" >"$scratch/$name.out" 2>"$scratch/$name.log" &
  at_exit "kill $! 2>/dev/null"
  curl -sf "$control/v1/plugins?plugin=$index-$name&wait=60s" | jq -e --arg name "$name" 'any(.plugins[]; .name == $name)' >/dev/null ||
    fail "plugin $name is not taken in: $(tail -n 3 "$scratch/$name.log")"
  names+=("$name")
}
# with_sample NAME COMMAND...: the command, if the plugin can be had; its program is in $program.
with_sample() {
  local name=$1
  shift
  if program=$(sample "$name"); then "$@"; else left_out+=("$name"); fi
}
plain() { begin "$1" "$2" "$program" -idx "$2" "$3" "$scratch/nri.sock"; }
# It reads hooks from a directory of the machine: it gets its own one. Its library makes createRuntime of prestart.
hooks() {
  cat >"$scratch/hooks/one.json" <<'J'
{"version": "1.0.0", "hook": {"path": "/bin/true", "args": ["true", "hooked"]}, "when": {"always": true}, "stages": ["prestart"]}
J
  # shellcheck disable=SC2016
  begin hook-injector 30 unshare -m sh -c \
    'mount -t tmpfs tmpfs /usr/share && mkdir -p /usr/share/containers/oci/hooks.d && cp "$1" /usr/share/containers/oci/hooks.d/ &&
      exec "$2" -idx 30 -disableWatch -socket-path "$3"' sh "$scratch/hooks/one.json" "$program" "$scratch/nri.sock"
}
differ() { begin differ 99 "$program" -indices 00,99 -socket-path "$scratch/nri.sock"; }
# It sees a machine of 16 CPUs that is in its sources.
balloons() {
  local host="$scratch/host/sample1"
  fetch_plugin_sources
  mkdir -p "$host/proc/irq" && tar xJf "$plugin_sources/pkg/sysfs/test-data-sample1.tar.xz" -C "$scratch/host" || { left_out+=(balloons) && return; }
  printf '           CPU0\n' >"$host/proc/interrupts" && echo ffff >"$host/proc/irq/default_smp_affinity"
  cat >"$scratch/balloons.yaml" <<'Y'
apiVersion: config.nri/v1alpha1
kind: BalloonsPolicy
metadata: { name: default }
spec:
  availableResources: { cpu: "cpuset:0-15" }
  reservedResources: { cpu: "cpuset:0" }
  pinCPU: true
  pinMemory: false
  balloonTypes:
    - { name: exclusive, namespaces: [default], minCPUs: 2, preferNewBalloons: true }
Y
  begin balloons 90 "$program" -nri-plugin-index 90 -nri-plugin-name balloons -nri-socket "$scratch/nri.sock" -host-root "$host" \
    -state-dir "$scratch/balloons" -pid-file "$scratch/balloons.pid" -config-file "$scratch/balloons.yaml"
}
with_sample device-injector plain device-injector 20 -socket-path
with_sample hook-injector hooks
with_sample ulimit-adjuster plain ulimit-adjuster 40 -socket
with_sample logger plain logger 50 -socket-path
with_sample template plain template 60 -socket
with_sample balloons balloons
with_sample differ differ

# pod NAME: a static pod that asks each plugin for something.
pod() {
  jq -n --arg name "$1" '{
    apiVersion: "v1", kind: "Pod",
    metadata: {name: $name, namespace: "default", annotations: {
      "devices.noderesource.dev/container.app": "- path: /dev/fpga\n  type: c\n  major: 9\n  minor: 1\n",
      "ulimits.noderesource.dev/container.app": "- type: RLIMIT_NOFILE\n  hard: 9\n  soft: 8\n",
      "class.memory-qos.nri.io/app": "bronze",
      "behavior.mockri.dev/app": "run"}},
    spec: {containers: [{name: "app", image: "example.com/app:1", resources: {limits: {cpu: "500m", memory: "64Mi"}}}], terminationGracePeriodSeconds: 1}
  }' >"$scratch/manifests/$1.json"
}
pod one
pod two
sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$(free_port)|; s|\$READONLY|0|; /featureGates/d" "$here/../real-kubelet/kubelet.yaml" \
  >"$scratch/kubelet.yaml"
kubelet --config "$scratch/kubelet.yaml" --root-dir "$scratch/root" --cert-dir "$scratch/pki" --hostname-override node --v=2 \
  >"$scratch/kubelet.log" 2>&1 &
at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | xargs -r umount"

both_run() { [ "$(crictl ps -q --state running | wc -l)" = 2 ]; }
within 60 "both pods run" both_run
is_named() { [[ " ${names[*]} " == *" $1 "* ]]; }
# spec_of POD FILTER: of the spec of its container.
spec_of() { crictl inspect "$(crictl ps -q --label "io.kubernetes.pod.name=$1")" | jq -cS ".info.runtimeSpec | $2"; }
for name in one-node two-node; do
  is_named device-injector && same "device-injector, $name" '["/dev/fpga"]' "$(spec_of $name '[.linux.devices[].path]')"
  is_named hook-injector && same "hook-injector, $name" '[{"args":["true","hooked"],"path":"/bin/true"}]' "$(spec_of $name .hooks.createRuntime)"
  is_named ulimit-adjuster && same "ulimit-adjuster, $name" '[{"hard":9,"soft":8,"type":"RLIMIT_NOFILE"}]' "$(spec_of $name .process.rlimits)"
  # The limit of 64 MiB without three quarters of it.
  is_named memory-qos && same "memory-qos, $name" '{"memory.high":"16777216","memory.swap.max":"max"}' "$(spec_of $name .linux.resources.unified)"
done
if is_named balloons; then
  cpus="$(spec_of one-node .linux.resources.cpu.cpus) $(spec_of two-node .linux.resources.cpu.cpus)"
  disjoint() { jq -ne --argjson all "[${cpus/ /,}]" '[$all[] | split(",")[] | split("-") | map(tonumber) | range(.[0]; .[-1] + 1)] | length == 4 and (unique | length == 4) and index(0) == null'; }
  holds "balloons gives each pod two CPUs: $cpus" disjoint
fi
for name in logger template; do
  is_named $name && within 20 "$name writes what it sees" grep -q -e CreateContainer -e StartContainer "$scratch/$name.log" "$scratch/$name.out"
done
is_named differ && within 20 "differ writes what the others have changed" grep -q 'CreateContainer.*\(rlimits\|Rlimits\|devices\|Devices\)' "$scratch/differ.log" "$scratch/differ.out"
if [ "$failures" != 0 ]; then
  for name in "${names[@]}"; do say "$name:" && tail -n 3 "$scratch/$name.log" >&2 || true; done
  grep -E '^[EW]' "$scratch/kubelet.log" | grep -v filesystem | tail -n 5 | cut -c 1-300 >&2
  exit 1
fi
[ ${#left_out[@]} = 0 ] || say "left out, as they can't be built: ${left_out[*]}"
echo "$checks checks with kubelet $(kubelet --version | awk '{print $2}'): ${names[*]}"
