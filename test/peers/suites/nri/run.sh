#!/usr/bin/env bash
# Node resource plugins: the Go implementation of ttrpc at the other end, both ways; a plugin in Go that records a pod's life;
# and, where their sources can be had, plugins of containerd/nri as they are.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/samples.sh"
need crictl jq
command -v go >/dev/null || skip 'go is needed to build the plugins'
program="$peers/bin/nri-peer"
(cd "$here/go" && GOFLAGS=-mod=readonly go build -o "$program" .) || skip "the plugins can't be built"

# ttrpc, both ways.
node --import tsx "$here/ttrpc.ts" serve "$scratch/ours.sock" &
at_exit "kill $! 2>/dev/null"
await 40 test -S "$scratch/ours.sock"
same 'a client in Go' 'every answer is as it should be' "$("$program" call "$scratch/ours.sock" 2>"$scratch/go.log")"
"$program" serve "$scratch/go.sock" &
at_exit "kill $! 2>/dev/null"
await 10 test -S "$scratch/go.sock"
same 'a server in Go' 'every answer is as it should be' "$(node --import tsx "$here/ttrpc.ts" call "$scratch/go.sock" 2>&1)"

start_mockri --nri-socket "$scratch/nri.sock" --profile containerd-2.4 --nri-request-timeout 20s
export CONTAINER_RUNTIME_ENDPOINT=$endpoint
printf 'timeout: 60\n' >"$scratch/crictl.yaml"
export CRI_CONFIG_FILE=$scratch/crictl.yaml
cat >"$scratch/pod.json" <<'JSON'
{"metadata": {"name": "web", "namespace": "default", "uid": "u"}, "annotations": {
  "devices.noderesource.dev/container.injected": "- path: /dev/fpga\n  type: c\n  major: 9\n  minor: 1\n",
  "ulimits.noderesource.dev/container.limited": "- type: RLIMIT_NOFILE\n  hard: 9\n  soft: 8\n"}}
JSON
crictl pull busybox >/dev/null
pod=$(crictl runp "$scratch/pod.json")

# plugin PROGRAM INDEX NAME ARGUMENT...: starts one, and waits until it is taken in.
plugin() {
  local path=$1 index=$2 name=$3
  shift 3
  "$path" "$@" >"$scratch/$name.out" 2>"$scratch/$name.log" &
  plugin_pid=$!
  at_exit "kill $plugin_pid 2>/dev/null"
  curl -sf "$control/v1/plugins?plugin=$index-$name&wait=30s" | jq -e --arg name "$name" 'any(.plugins[]; .name == $name)' >/dev/null ||
    fail "plugin $name is not taken in: $(tail -n 3 "$scratch/$name.log")"
}
# leave: ends the last plugin.
leave() { kill "$plugin_pid" && wait "$plugin_pid" || true; }
# container NAME ANNOTATIONS: makes one; prints its id.
container() {
  jq -n --arg name "$1" --argjson annotations "${2:-"{}"}" \
    '{metadata: {$name}, image: {image: "busybox"}, command: ["sleep", "1000"], $annotations, linux: {}}' >"$scratch/c.json"
  crictl create "$pod" "$scratch/c.json" "$scratch/pod.json"
}
# Where there is no kubelet, and no root, it is left out.
with_kubelet() { bash "$here/kubelet.sh" >&2 || [ $? = "$SKIPPED" ]; }
go_client() { (cd "$here/go" && GOFLAGS=-mod=readonly go test -count=1 . >&2); }
python_client() { PYTHONPATH="$repository/clients/python/src" python3 "$here/clients.py" "$1" >&2 2>"$scratch/python.log"; }
spec_of() { crictl inspect "$1" | jq -cS ".info.runtimeSpec | $2"; }

# A plugin of the Go library sees a container's life, and changes it.
plugin "$program" 10 recorder record "$scratch/nri.sock" 10 recorder
app=$(container app '{"adjust.mockri.dev/10-recorder": "{\"env\": [{\"key\": \"GPU\", \"value\": \"0\"}]}"}')
crictl start "$app" >/dev/null
crictl update --cpu-share 512 "$app" >/dev/null
crictl stop -t 0 "$app" >/dev/null
same 'what it changes' '["GPU=0"]' "$(spec_of "$app" '[.process.env[] | select(startswith("GPU"))]')"
crictl rm "$app" >/dev/null
wanted='Synchronize shows pod web CreateContainer app PostCreateContainer app StartContainer app PostStartContainer app UpdateContainer app PostUpdateContainer app StopContainer app RemoveContainer app'
same 'what it sees' "$wanted" "$(jq -r '[.event, .container // (select(.event == "shows pod") | .pod)] | map(select(. != null)) | join(" ")' "$scratch/recorder.out" | paste -sd ' ')"
leave

# Tests of a plugin with the clients.
export MOCKRI="node $repository/dist/src/cli/main.js"
holds 'the client for Go' go_client
holds 'the client for Python' python_client "$program"

# Plugins as they are.
left_out=()
# try NAME FLAG...: starts a sample if it can be had.
try() {
  local name=$1 program
  shift
  if program=$(sample "$name"); then plugin "$program" 20 "$name" -idx 20 "$@"; else left_out+=("$name") && return 1; fi
}
if try device-injector -socket-path "$scratch/nri.sock"; then
  injected=$(container injected)
  same 'device-injector' '[{"major":9,"minor":1,"path":"/dev/fpga","type":"c"}]' "$(spec_of "$injected" .linux.devices)"
  crictl start "$injected" >/dev/null
  same 'the device in the container' there "$(crictl exec "$injected" sh -c '[ -c /dev/fpga ] && echo there')"
  leave
fi
if try ulimit-adjuster -socket "$scratch/nri.sock"; then
  same 'ulimit-adjuster' '[{"hard":9,"soft":8,"type":"RLIMIT_NOFILE"}]' "$(spec_of "$(container limited)" .process.rlimits)"
  leave
fi
for name in logger template; do
  flag=-socket-path
  [ $name = logger ] || flag=-socket
  if try "$name" "$flag" "$scratch/nri.sock"; then
    crictl start "$(container "with-$name")" >/dev/null
    within 20 "$name writes what it sees" grep -q -e "with-$name" -e CreateContainer -e StartContainer "$scratch/$name.log" "$scratch/$name.out"
    leave
  fi
done
holds 'plugins with the real kubelet' with_kubelet
[ ${#left_out[@]} = 0 ] || say "left out, as they can't be built: ${left_out[*]}"
echo "$checks checks, $((4 - ${#left_out[@]})) of 4 plugins of containerd/nri"
