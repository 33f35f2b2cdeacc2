#!/usr/bin/env bash
# Fault rules on real containers:  faults.sh ENGINE
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/checks.sh"
engine=${1:?usage: faults.sh ENGINE}
export DOCKER_HOST=$engine
cat >"$scratch/faults.yaml" <<'Y'
version: 1
faults:
  - {name: first-start-hangs, match: {method: StartContainer}, when: {times: 1}, then: {hang: {for: 5m}}}
  - {name: lose-started, match: {method: GetContainerEvents}, on: message, when: {after: 1, times: 1}, then: {drop: {}}}
Y
start_on "$engine" --control 127.0.0.1:0 --faults "$scratch/faults.yaml"
write_pod web

cri pull "$busybox" >/dev/null
crictl -r "$endpoint" events -o go-template --template '{{.containerEventType}} {{.containerId}}' >"$scratch/events" 2>"$scratch/events.err" &
at_exit "kill $!"
subscribed() { curl -fsS "$control/metrics" | grep -q '^mockri_event_subscribers 1$'; }
await 10 subscribed || { say 'nobody reads the events'; exit 1; }
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
# Long enough to connect on a busy machine.
cri -t 5s start "$container" 2>"$scratch/err" && { say 'the first start did not hang'; exit 1; }
grep -q DeadlineExceeded "$scratch/err"
same 'after a start that hung' created "$(docker inspect -f '{{.State.Status}}' "mockri-$container")"
cri start "$container" >/dev/null
same 'after another start' running "$(docker inspect -f '{{.State.Status}}' "mockri-$container")"
cri rmp -f "$pod" >/dev/null
deleted() { grep -q "DELETED_EVENT $pod" "$scratch/events"; }
await 10 deleted
same 'events, the second one dropped' "CONTAINER_CREATED_EVENT $pod
CONTAINER_CREATED_EVENT $container
CONTAINER_STARTED_EVENT $container
CONTAINER_STOPPED_EVENT $container
CONTAINER_STOPPED_EVENT $pod
CONTAINER_DELETED_EVENT $container
CONTAINER_DELETED_EVENT $pod" "$(<"$scratch/events")"
same 'what is left in Docker' '' "$(docker ps -aq --filter label=dev.mockri.kind)"
echo 'a start hung, an event was lost, and real containers were none the worse'
