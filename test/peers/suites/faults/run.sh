#!/usr/bin/env bash
# What crictl sees of each fault action that it can show, through the command line, files and the control API.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../crictl/expect.sh"
need jq crictl curl

cat >"$scratch/faults.yaml" <<'YAML'
version: 1
faults:
  - { name: from-file, match: { method: ListImages }, then: { error: { code: UNAVAILABLE, message: from a file } } }
YAML
start_mockri --control 127.0.0.1:0 --faults "$scratch/faults.yaml" --referee warn
target=mockri
MOCKRI_CONTROL=$(jq -r .control "$scratch/mockri.out")
export MOCKRI_CONTROL
printf 'runtime-endpoint: %s\nimage-endpoint: %s\ntimeout: 5\n' "$endpoint" "$endpoint" >"$scratch/crictl.yaml"

fault() { node "$repository/dist/src/cli/main.js" fault "$@" >"$scratch/fault.out"; }
control() { curl -sf "$MOCKRI_CONTROL$1"; }
# heal: takes all rules back but those of the file.
heal() { for rule in $(control /v1/faults | jq -r '.faults[].name'); do [ "$rule" = from-file ] || fault rm "$rule"; done; }
# seconds COMMAND...: how long it takes, in whole seconds.
seconds() { local begin=$SECONDS; "$@" >/dev/null 2>&1 || true; echo $((SECONDS - begin)); }
# takes SECONDS WHAT COMMAND...: at least so long; a busy machine may take longer.
takes() { local least=$1 what=$2; shift 2; taken=$(seconds "$@") least=$least check '[ "$taken" -ge "$least" ]' "$what: at least $least s"; }

cat >"$scratch/pod.json" <<'JSON'
{"metadata": {"name": "web", "namespace": "default", "uid": "u1", "attempt": 0}, "linux": {}}
JSON
cat >"$scratch/container.json" <<'JSON'
{"metadata": {"name": "app"}, "image": {"image": "busybox"}, "command": ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 1; done"], "linux": {}}
JSON
ok pull busybox
ok runp "$scratch/pod.json"
pod=$out
ok create "$pod" "$scratch/container.json" "$scratch/pod.json"
container=$out

# Calls.
fails images
says 'code = Unavailable desc = from a file'
fault add 'StartContainer=1*error(UNAVAILABLE:oops)' --pod 'default/web' --container app
fails start "$container"
says 'code = Unavailable desc = oops'
ok start "$container"
fault add 'RunPodSandbox=1*error(DEADLINE_EXCEEDED:lost)' --name before
fails runp "$scratch/pod.json"
says 'code = DeadlineExceeded desc = lost'
heal
fault add 'Status=delay(2s)'
takes 1 'a delayed call' crictl_on_target info
heal
fault add 'Version=hang'
takes 5 'a call that hangs is given up' crictl_on_target version
heal
ok version
rule() { curl -sf "$MOCKRI_CONTROL/v1/faults" --data-binary @- >/dev/null; }
rule <<<'{match: {method: Version}, then: {reply: {patch: {runtime_name: other}}}}'
ok version
line 'RuntimeName: other'
heal
rule <<<'{match: {method: ListContainers}, then: {reply: {empty: true}}}'
ok ps --all --quiet
is ''
heal
rule <<<'{match: {method: ListContainers}, then: {reply: {pad: 20000000}}}'
fails ps --all
says 'code = ResourceExhausted'
heal
fault add 'Version=1*reset(REFUSED_STREAM)'
# gRPC repeats a call that the server has refused unseen.
ok version
heal
fault add 'Status=reset(INTERNAL_ERROR)'
fails info
says 'code = Internal desc = stream terminated by RST_STREAM with error code: INTERNAL_ERROR'
heal
rule <<<'{match: {method: Status}, then: {reset: {scope: connection}}}'
fails info
says 'code = Unavailable desc = error reading from server'
heal

# Connections.
fault add 'connection=refuse'
fails version
heal
fault add 'connection=latency(400ms)'
takes 1 'a far connection' crictl_on_target version
heal
fault add 'connection=stall'
takes 5 'a connection that says nothing is given up' crictl_on_target version
heal
rule <<<'{on: connection, then: {throttle: {bytesPerSecond: 100}}}'
takes 2 'a narrow connection' crictl_on_target version
heal
fault add 'connection=1*goaway'
ok version
heal

# The runtime.
fault add 'time=condition' 2>/dev/null && check false 'condition needs a type'
rule <<<'{then: {condition: {type: NetworkReady, reason: Gone, message: the cni is gone}}}'
ok info
json '.status.conditions[] | select(.type == "NetworkReady") | .status == false and .reason == "Gone"'
heal
ok info
json '.status.conditions[] | select(.type == "NetworkReady") | .status'
fault add 'time=pause(2s)'
takes 1 'a paused runtime answers late' crictl_on_target pods
fault add 'Status=1*restart(1s)'
fails info
check '[ ! -S "${endpoint#unix://}" ]' 'the socket is gone'
await 10 crictl_on_target version
ok ps --quiet
is "$container"
heal

# Events.
watch_events() {
  crictl_on_target events >"$scratch/events" 2>"$scratch/events.err" &
  watcher=$!
  await 10 eval 'control /metrics | grep >/dev/null "mockri_event_subscribers [1-9]"'
}
# sees NAME...: the events of a container's life, in this order.
sees() {
  : >"$scratch/events"
  local container
  container=$(crictl_on_target create "$pod" "$scratch/second.json" "$scratch/pod.json" 2>/dev/null)
  for step in start stop rm; do crictl_on_target "$step" "$container" >/dev/null; done
  await 10 eval 'grep -a -q CONTAINER_DELETED "$scratch/events"' || true
  ran="crictl events" out=$(grep -a -o 'CONTAINER_[A-Z]*_EVENT' "$scratch/events" | sed 's/CONTAINER_\(.*\)_EVENT/\1/' | xargs)
  is "$*"
  heal
}
# ends WHAT: the stream ends, and crictl says so.
ends() {
  crictl_on_target stop "$(crictl_on_target create "$pod" "$scratch/second.json" "$scratch/pod.json" 2>/dev/null)" >/dev/null
  await 10 eval '! kill -0 "$watcher" 2>/dev/null'
  ran="crictl events" out='' err=$(<"$scratch/events.err")
  heal
  crictl_on_target rm --all --force >/dev/null 2>&1
}
jq '.metadata.name = "second"' "$scratch/container.json" >"$scratch/second.json"
watch_events
at_exit 'kill "$watcher" 2>/dev/null'
sees CREATED STARTED STOPPED DELETED
fault add 'GetContainerEvents:message=1*off->1*duplicate'
sees CREATED STARTED STARTED STOPPED DELETED
fault add 'GetContainerEvents:message=1*off->1*drop'
sees CREATED STOPPED DELETED
fault add 'GetContainerEvents:message=1*reorder(2)'
sees STARTED CREATED STOPPED DELETED
fault add 'GetContainerEvents:message=2*off->1*replay(2)'
sees CREATED STARTED STOPPED CREATED STARTED DELETED
fault add 'GetContainerEvents:message=1*delay(2s)'
takes 2 'an event that comes late' sees CREATED STARTED STOPPED DELETED
fault add 'GetContainerEvents:message=close(UNAVAILABLE:gone)'
ends
says 'code = Unavailable desc = gone'
watch_events
fault add 'GetContainerEvents:message=end'
ends
check '! kill -0 "$watcher" 2>/dev/null' 'the stream ends'

# Containers.
ok create "$pod" "$scratch/container.json" "$scratch/pod.json"
container=$out
fault add 'StartContainer=slowStart(2s)'
takes 1 'a slow start takes seconds' crictl_on_target start "$container"
fault add 'StopContainer=ignoreStop' --container app
takes 2 'a container that ignores its stop signal' crictl_on_target stop --timeout 2 "$container"
ok inspect "$container"
json '.status.exitCode == 137'
heal
fault add 'ContainerStatus=loseStatus'
ok inspect "$container"
json '.status.state == "CONTAINER_UNKNOWN" and .status.exitCode == 255'
heal
jq '.metadata.attempt = 1' "$scratch/container.json" >"$scratch/second.json"
ok create "$pod" "$scratch/second.json" "$scratch/pod.json"
container=$out
ok start "$container"
rule <<<'{match: {pod: {name: web}, container: {name: app}}, then: {oom: {}}}'
await 10 eval 'crictl_on_target inspect "$container" | grep >/dev/null OOMKilled'
ok inspect "$container"
json '.status.state == "CONTAINER_EXITED" and .status.exitCode == 137 and .status.reason == "OOMKilled"'
heal

jq '.metadata.attempt = 2' "$scratch/container.json" >"$scratch/third.json"
fault add 'time=clockSkew(-1h)'
await 10 eval 'control /v1/faults | jq -e "any(.faults[]; .applied == 1)"'
ok create "$pod" "$scratch/third.json" "$scratch/pod.json"
container=$out
heal
ok inspect "$container"
json '(now - (.status.createdAt | sub("\\.[0-9]+"; "") | fromdate)) | . > 3500 and . < 4500'
ok start "$container"
rule <<<'{match: {pod: {name: web}, container: {name: app, attempt: 2}}, then: {exit: {signal: SIGSEGV}}}'
await 10 eval 'crictl_on_target inspect "$container" | grep >/dev/null CONTAINER_EXITED'
ok inspect "$container"
json '.status.exitCode == 139'
heal

# A pod that brings its own faults along.
jq '.metadata.name = "own" | .metadata.uid = "u2" | .annotations = {"fault.mockri.dev/CreateContainer": "1*error(UNAVAILABLE:from an annotation)",
  "fault.mockri.dev/StartContainer": "1*off->1*error(ABORTED)"}' "$scratch/pod.json" >"$scratch/own.json"
ok runp "$scratch/own.json"
own=$out
fails create "$own" "$scratch/container.json" "$scratch/own.json"
says 'code = Unavailable desc = from an annotation'
ok create "$own" "$scratch/container.json" "$scratch/own.json"
first=$out
jq '.metadata.name = "other"' "$scratch/container.json" >"$scratch/other.json"
ok create "$own" "$scratch/other.json" "$scratch/own.json"
other=$out
ok start "$first"
fails start "$other"
says 'code = Aborted'
ok start "$other"
check 'control /v1/faults | jq -e "[.faults[].source] | unique | length == 2" >/dev/null' 'its rules are listed'
ok rmp --force "$own"
check 'control /v1/faults | jq -e "[.faults[].name] == [\"from-file\"]" >/dev/null' 'its rules go with it'
jq '.metadata.name = "bad" | .metadata.uid = "u3" | .annotations = {"fault.mockri.dev/StartContianer": "hang"}' "$scratch/pod.json" >"$scratch/bad.json"
fails runp "$scratch/bad.json"
says 'code = InvalidArgument .*did you mean .*"StartContainer'

# A file that changes; the history; the referee.
sed -i 's/from a file/from the new file/' "$scratch/faults.yaml"
await 10 eval '{ crictl_on_target images 2>&1 || true; } | grep >/dev/null "from the new file"'
fails images
says 'from the new file'
check 'control "/v1/calls?faulty=true&method=ListImages" | jq -e ".calls | length > 1 and all(.faults == [\"from-file\"])" >/dev/null' 'history'
check 'control /v1/referee | jq -e ".findings == []" >/dev/null' 'crictl did nothing wrong so far'
fails start "$container"
check 'control /v1/referee | jq -e ".findings[0].rule == \"REF-01\"" >/dev/null' 'starting an exited container is told'
ok rmp --force "$pod"

[ "$failures" = 0 ] || exit 1
echo "$checks checks hold"
