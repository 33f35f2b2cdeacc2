#!/usr/bin/env bash
# The real kubelet, standalone, on Mockri: a crash loop, the fall-back from evented to generic PLEG, a start
# that hangs.
# uses: kubelet
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need kubelet jq curl
[ "$(id -u)" = 0 ] || skip "the kubelet needs root"

manifests="$scratch/manifests" port=$(free_port) open_port=$(free_port)
mkdir "$manifests"

# pod NAME BEHAVIOR: a static pod whose container does what the behavior says.
pod() {
  jq -n --arg name "$1" --arg behavior "$2" '{
    apiVersion: "v1", kind: "Pod",
    metadata: {name: $name, namespace: "default", annotations: {"behavior.mockri.dev/app": $behavior}},
    spec: {containers: [{name: "app", image: "example.com/app:1"}], terminationGracePeriodSeconds: 2}
  }' >"$manifests/$1.json"
}

# start_kubelet: with the feature gates of the article, on the socket at $endpoint.
start_kubelet() {
  sed "s|\$ENDPOINT|$endpoint|; s|\$SCRATCH|$scratch|; s|\$PORT|$port|; s|\$READONLY|$open_port|" "$here/kubelet.yaml" \
    >"$scratch/kubelet.yaml"
  kubelet --config "$scratch/kubelet.yaml" --root-dir "$scratch/root" --cert-dir "$scratch/pki" \
    --hostname-override node --v=3 >"$scratch/kubelet.log" 2>&1 &
  at_exit "kill $! 2>/dev/null; wait $! 2>/dev/null; awk '\$2 ~ \"^$scratch\" {print \$2}' /proc/mounts | xargs -r umount"
}

container() { curl -fs "http://127.0.0.1:$open_port/pods" | jq -e ".items[] | select(.metadata.name == \"$1-node\") | .status.containerStatuses[0] | $2" >/dev/null; }
metric() { curl -fs "http://127.0.0.1:$open_port/metrics" | grep -x "$1" >/dev/null; }
logged() { grep -q -- "$1" "$scratch/kubelet.log"; }
# fault RULE: as JSON.
fault() { curl -fsS -X POST -H 'content-type: application/json' -d "$1" "$control/v1/faults" >/dev/null; }
calls() { curl -fs "$control/v1/calls?limit=10000&method=$1"; }

start_mockri
fault '{"name": "stream-dies", "match": {"method": "GetContainerEvents"}, "then": {"close": {"code": "UNAVAILABLE"}}}'
pod crash exit=1,after=1s
pod steady run
start_kubelet

within 30 "a pod runs" container steady '.state.running and .ready'
holds "the runtime's name is in container ids" container steady '.containerID | startswith("mockri://")'

within 30 "five failed connections" metric 'kubelet_evented_pleg_connection_error_count 5'
sleep 3
holds "no sixth attempt" metric 'kubelet_evented_pleg_connection_error_count 5'
five_streams() { [ "$(calls GetContainerEvents | jq '.calls | length')" = 5 ]; }
holds "the server saw five streams" five_streams
relists() { calls ListPodSandbox | jq '.calls | length'; }
before=$(relists)
sleep 5
# Two calls a second: one of the relist, one of the housekeeping every two seconds.
relists_each_second() { local more=$(($(relists) - before)); [ "$more" -ge 4 ] && [ "$more" -le 12 ]; }
holds "the generic PLEG relists each second" relists_each_second

within 20 "a crash loop" container crash '.state.waiting.reason == "CrashLoopBackOff" or .restartCount >= 2'
within 45 "three restarts" container crash '.restartCount >= 3'
holds "a back-off of 10 s" logged 'back-off 10s restarting failed container=app pod=crash-node'
holds "a back-off of 20 s" logged 'back-off 20s restarting failed container=app pod=crash-node'

fault '{"name": "slow", "match": {"method": "StartContainer", "pod": {"name": "late-*"}}, "when": {"times": 1}, "then": {"hang": {}}}'
pod late run
within 60 "the hanging start runs into the kubelet's timeout" logged 'RunContainerError.*context deadline exceeded.*late-node'
within 60 "and the pod starts in the end" container late '.state.running'

rm "$manifests/steady.json"
gone() { curl -fs "$control/v1/state" | jq -e 'all(.sandboxes[]; .name != "steady-node" or .state != "READY")'; }
within 60 "a pod whose manifest is gone is stopped" gone

if [ "$failures" != 0 ]; then
  grep -E '^[EW]' "$scratch/kubelet.log" | grep -v filesystem | tail -n 15 | cut -c 1-300 >&2
  exit 1
fi
echo "$checks checks hold with kubelet $(kubelet --version | awk '{print $2}')"
