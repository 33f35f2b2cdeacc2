#!/usr/bin/env bash
# Every crictl command but the streaming ones (exec -it, attach, port-forward), each output checked, on Mockri:
#   run.sh [CASE...]
# The expectations are held against real containerd with
#   MOCKRI_TARGET=unix:///run/containerd/containerd.sock run.sh
# and hold for real containers of a Docker Engine, with what that lacks left out:
#   DOCKER_ENGINE=unix:///var/run/docker.sock run.sh
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/expect.sh"
need jq crictl

if [ -n "${MOCKRI_TARGET:-}" ]; then
  target=containerd endpoint=$MOCKRI_TARGET runtime=containerd
  # What containerd answers to a request that the present state does not allow.
  WRONG_STATE=Unknown NAME_TAKEN=FailedPrecondition
else
  runtime=mockri
  if [ -n "${DOCKER_ENGINE:-}" ]; then
    target=docker
    start_mockri --backend docker --docker-host "$DOCKER_ENGINE" --docker-sandbox-image registry.k8s.io/pause:3.9
  else
    target=mockri
    start_mockri
  fi
  WRONG_STATE=FailedPrecondition NAME_TAKEN=AlreadyExists
fi
printf 'runtime-endpoint: %s\nimage-endpoint: %s\ntimeout: 20\n' "$endpoint" "$endpoint" >"$scratch/crictl.yaml"

ID='[0-9a-f]{64}'
SHORT='[0-9a-f]{13}'
AGO='(Less than a second|[0-9]+ seconds?|About a minute) ago'
IMAGE=registry.k8s.io/e2e-test-images/busybox:1.29-2
mkdir "$scratch/logs"

# pod NAME: writes a sandbox config, prints its path.
pod() {
  jq -n --arg name "$1" --arg logs "$scratch/logs" '{
    metadata: {name: $name, namespace: "default", uid: "uid-\($name)", attempt: 1}, hostname: $name,
    log_directory: $logs, labels: {app: $name, tier: "front"}, annotations: {"example.com/note": "a/b: ü"},
    linux: {security_context: {namespace_options: {}}}
  }' >"$scratch/pod-$1.json"
  echo "$scratch/pod-$1.json"
}

# container NAME SCRIPT [POD]: writes a container config, prints its path.
container() {
  jq -n --arg name "$1" --arg script "$2" --arg image "$IMAGE" --arg pod "${3:-web}" '{
    metadata: {name: $name, attempt: 2}, image: {image: $image}, command: ["sh", "-c", $script], log_path: "\($name).log",
    envs: [{key: "GREETING", value: "hello"}],
    labels: {"io.kubernetes.pod.name": $pod, "io.kubernetes.pod.namespace": "default", app: $pod},
    annotations: {"example.com/note": "a/b: ü"}, linux: {}
  }' >"$scratch/container-$1.json"
  echo "$scratch/container-$1.json"
}

crictl_exited() { [ "$(crictl_on_target inspect -o go-template --template '{{.status.state}}' "$1")" = CONTAINER_EXITED ]; }

[ $# -gt 0 ] || set -- "$here"/cases/*.sh
for case in "$@"; do
  source "$case"
done
crictl_on_target rmp --force --all >/dev/null 2>&1 || true

[ "$failures" = 0 ] || exit 1
echo "$checks checks hold on $target"
