# Sourced: what the scripts check the server with.
# shellcheck shell=bash

program="$repository/dist/src/cli/main.js"
busybox=registry.k8s.io/e2e-test-images/busybox:1.29-2

# serve FLAG...: the command line of a server that is not expected to start.
serve() { echo node "$program" serve --backend docker --listen "unix://$scratch/none.sock" --control off "$@"; }

# start_on ENGINE [FLAG...]: a server on the engine; sets $endpoint as start_mockri.
start_on() {
  start_mockri --backend docker --docker-host "$1" --docker-sandbox-image registry.k8s.io/pause:3.9 --control off "${@:2}"
}
# Not within the two seconds that crictl gives a call, as Docker takes longer on a busy machine.
cri() { timeout 30 crictl -t 20s -r "$endpoint" "$@"; }

# refuses TEXT COMMAND...: ends at once, saying so.
refuses() {
  local expected=$1 said
  shift
  said=$(timeout 20 "$@" 2>&1) && { say "no failure: $*"; exit 1; }
  grep -qE -- "$expected" <<<"$said" || { say "expected '$expected', got: $said"; exit 1; }
}

# gone CRICTL_ARGUMENT...: whether it lists nothing.
gone() { [ -z "$(cri "$@")" ]; }

# write_pod NAME: $scratch/pod.json, and in $scratch/container.json one of its containers.
write_pod() {
  cat >"$scratch/pod.json" <<J
{"metadata":{"name":"$1","namespace":"default","uid":"$1"},"log_directory":"$scratch/logs","linux":{}}
J
  cat >"$scratch/container.json" <<J
{"metadata":{"name":"app"},"image":{"image":"$busybox"},"command":["sleep","1000"],"log_path":"app.log","linux":{}}
J
}
