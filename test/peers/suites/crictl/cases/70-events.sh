# events

crictl_on_target events -o go-template --template '{{.containerEventType}} {{.containerId}} {{.podSandboxStatus.metadata.name}}' \
  >"$scratch/events" 2>/dev/null &
follower=$!
crictl_on_target events -o json >"$scratch/events.json" 2>/dev/null &
json_follower=$!
at_exit "kill $follower $json_follower 2>/dev/null"
sleep 1

ok run --no-pull "$(container brief 'while true; do sleep 1; done' eventful)" "$(pod eventful)"
event_id=$out
ok pods -q --name eventful
event_pod=$out
ok stop "$event_id"
ok rm "$event_id"
ok rmp --force "$event_pod"
await 10 grep -q "CONTAINER_DELETED_EVENT $event_pod" "$scratch/events"
kill "$follower" "$json_follower" && wait "$follower" "$json_follower" 2>/dev/null || true

ran='crictl events' out=$(grep ' eventful' "$scratch/events")
is "CONTAINER_CREATED_EVENT $event_pod eventful
CONTAINER_STARTED_EVENT $event_pod eventful
CONTAINER_CREATED_EVENT $event_id eventful
CONTAINER_STARTED_EVENT $event_id eventful
CONTAINER_STOPPED_EVENT $event_id eventful
CONTAINER_DELETED_EVENT $event_id eventful
CONTAINER_STOPPED_EVENT $event_pod eventful
CONTAINER_DELETED_EVENT $event_pod eventful"

ran='crictl events -o json' out=$(jq -s . "$scratch/events.json")
json ".[] | select(.containerId == \"$event_id\" and .containerEventType == \"CONTAINER_STOPPED_EVENT\") |
  .containersStatuses[0] | .id == \"$event_id\" and .state == \"CONTAINER_EXITED\" and .exitCode == 137"
json "[.[] | select(.podSandboxStatus.metadata.name == \"eventful\") | .createdAt | tonumber] | . == sort and length == 8"
