#!/usr/bin/env bash
# Fault rules between crictl and real containerd: `mockri serve --backend remote`.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
source "$here/../crictl/expect.sh"
need jq crictl curl
start_in_memory containerd 2.4 || skip 'no containerd'
containerd=$endpoint
start_mockri --backend remote --remote-endpoint "$containerd"
# Read by expect.sh.
# shellcheck disable=SC2034
target=containerd
printf 'runtime-endpoint: %s\nimage-endpoint: %s\ntimeout: 20\n' "$endpoint" "$endpoint" >"$scratch/crictl.yaml"
behind() { crictl --runtime-endpoint "$containerd" --image-endpoint "$containerd" "$@"; }

fault() { node "$repository/dist/src/cli/main.js" fault "$1" --control "$control" "${@:2}" >"$scratch/fault.out"; }

cat >"$scratch/pod.json" <<'JSON'
{"metadata": {"name": "web", "namespace": "default", "uid": "u1", "attempt": 0}, "log_directory": "/tmp",
  "linux": {"security_context": {"namespace_options": {"network": 2}}}}
JSON
cat >"$scratch/container.json" <<'JSON'
{"metadata": {"name": "app"}, "image": {"image": "registry.k8s.io/e2e-test-images/busybox:1.29-2"}, "command": ["sleep", "3600"], "log_path": "app.log", "linux": {}}
JSON
behind rmp --all --force >/dev/null 2>&1 || true

ok version
line 'RuntimeName: containerd'
ok pull registry.k8s.io/e2e-test-images/busybox:1.29-2

# Done by containerd, but its client never hears of it; then the name is taken.
fault add 'RunPodSandbox=1*error(UNKNOWN:lost)' --name before
fails runp "$scratch/pod.json"
says 'code = Unknown desc = lost'
check '[ -z "$(behind pods --quiet)" ]' 'no pod'
curl -sf "$control/v1/faults" -d '{"match": {"method": "RunPodSandbox"}, "when": {"times": 1}, "then": {"error": {"code": "UNKNOWN", "effect": "after"}}}' >/dev/null
fails runp "$scratch/pod.json"
check '[ "$(behind pods --quiet | wc -l)" = 1 ]' 'a pod'
fails runp "$scratch/pod.json"
says 'is reserved for'
behind rmp --all --force >/dev/null 2>&1

ok runp "$scratch/pod.json"
pod=$out
ok create "$pod" "$scratch/container.json" "$scratch/pod.json"
container=$out
fault add 'StartContainer=1*error(UNAVAILABLE:oops)' --pod 'default/web' --container app
fails start "$container"
says 'code = Unavailable desc = oops'
ok start "$container"
fault add 'ContainerStatus=loseStatus' --container app
ok inspect "$container"
json '.status.state == "CONTAINER_UNKNOWN"'
check 'behind inspect "$container" | grep >/dev/null CONTAINER_RUNNING' 'it runs all the same'
fault reset
ok inspect "$container"
json '.status.state == "CONTAINER_RUNNING"'

# Events by the names of their containers.
crictl_on_target events >"$scratch/events" 2>/dev/null &
at_exit "kill $! 2>/dev/null"
# It listens once it tells of something.
probe() {
  crictl_on_target rm "$(crictl_on_target create "$pod" "$scratch/probe.json" "$scratch/pod.json")" && grep -q CREATED "$scratch/events"
}
jq '.metadata.name = "probe"' "$scratch/container.json" >"$scratch/probe.json"
await 10 probe
fault add 'GetContainerEvents:message=drop' --container app
ok stop --timeout 0 "$container"
ok stopp "$pod"
await 10 eval 'curl -sf "$control/v1/faults" | jq -e ".faults[0].applied >= 1" >/dev/null'
fault reset
ok rmp "$pod"
await 10 grep -q CONTAINER_DELETED_EVENT "$scratch/events"
check '! jq -e --arg id "$container" "select(.containerId == \$id and .containerEventType == \"CONTAINER_STOPPED_EVENT\")" "$scratch/events" >/dev/null' 'the event is lost'

# The runtime as a whole.
curl -sf "$control/v1/faults" -d '{"then": {"condition": {"type": "NetworkReady", "reason": "Gone"}}}' >/dev/null
ok info
json '.status.conditions[] | select(.type == "NetworkReady") | .status == false and .reason == "Gone"'
fault reset
fault add 'Version=1*restart(1s)'
fails version
await 10 crictl_on_target version
for action in oom clockSkew; do
  fault add "time=$action(1h)" 2>"$scratch/err" && { ran=fault; check false "$action is refused"; }
done
check 'curl -sf "$control/v1/calls?faulty=true" | jq -e "[.calls[].method] | index(\"RunPodSandbox\") != null and index(\"StartContainer\") != null" >/dev/null' 'history'

[ "$failures" = 0 ] || exit 1
echo "$checks checks hold"
