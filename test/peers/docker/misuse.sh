#!/usr/bin/env bash
# What people get wrong, and what they do behind the server's back:  misuse.sh ENGINE
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib.sh"
engine=${1:?usage: misuse.sh ENGINE}
export DOCKER_HOST=$engine
program="$repository/dist/src/cli/main.js"

# refuses TEXT COMMAND...: ends at once, saying so.
refuses() {
  local expected=$1 said
  shift
  said=$(timeout 20 "$@" 2>&1) && { say "no failure: $*"; exit 1; }
  grep -qE -- "$expected" <<<"$said" || { say "expected '$expected', got: $said"; exit 1; }
}
serve() { echo node "$program" serve --backend docker --listen "unix://$scratch/none.sock" --control off --docker-host "$1"; }

refuses 'no such socket .* is dockerd running' $(serve unix:///nowhere/docker.sock)
refuses 'nobody listens .* is dockerd running' $(serve tcp://127.0.0.1:1)
refuses 'is not unix:///path, tcp://host:port' $(serve 127.0.0.1)
refuses 'ca.pem can.t be read' $(serve tcp://127.0.0.1:1) --docker-cert-path "$scratch"
chmod 0600 "${engine#unix://}"
chmod a+x "$scratch" "$(dirname "${engine#unix://}")"
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${nobody[@]}" test -r "$program"; then
  refuses 'no permission on the socket .* group docker' "${nobody[@]}" $(serve "$engine")
else
  say 'not tried without rights: the program itself can only be read by root'
fi

node -e 'require("http").createServer((_, reply) => reply.setHeader("content-type", "application/json")
  .end(JSON.stringify({Version: "1.12", ApiVersion: "1.24"}))).listen(process.argv[1])' "$scratch/old.sock" &
at_exit "kill $!"
await 5 test -S "$scratch/old.sock"
refuses 'Docker 1.12 .* speaks API 1.24; 1.41 .* is needed' $(serve "unix://$scratch/old.sock")

start_mockri --backend docker --docker-host "$engine" --docker-sandbox-image registry.k8s.io/pause:3.9 --control off
cri() { timeout 30 crictl -r "$endpoint" "$@"; }
echo '{"metadata":{"name":"web","namespace":"default","uid":"web"},"log_directory":"'"$scratch/logs"'","linux":{}}' >"$scratch/pod.json"
echo '{"metadata":{"name":"app"},"image":{"image":"registry.k8s.io/e2e-test-images/busybox:1.29-2"},
  "command":["sleep","1000"],"log_path":"app.log","linux":{}}' >"$scratch/container.json"
gone() { [ -z "$(cri "$@")" ]; }
is() { [ "$2" = "$3" ] || { say "$1: expected '$2', got '$3'"; exit 1; }; }

cri pull registry.k8s.io/e2e-test-images/busybox:1.29-2 >/dev/null
docker run -d --name stranger registry.k8s.io/e2e-test-images/busybox:1.29-2 sleep 1000 >/dev/null
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
is 'a container of somebody else is not listed' "$container" "$(cri ps -aq)"
docker rm -f "mockri-$container" >/dev/null
await 5 gone ps -aq || { say 'a container that was removed by hand is still shown'; exit 1; }
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
docker kill "mockri-$pod" >/dev/null
await 5 gone pods -q -s ready || { say 'a sandbox that was killed by hand is still ready'; exit 1; }
is 'its container' CONTAINER_EXITED "$(cri inspect -o go-template --template '{{.status.state}}' "$container")"
docker rm -f "mockri-$pod" >/dev/null
await 5 gone pods -q || { say 'a sandbox that was removed by hand is still shown'; exit 1; }
is 'nothing is left of the pod' '' "$(docker ps -aq --filter label=dev.mockri.kind)"
is 'a container of somebody else is left alone' running "$(docker inspect -f '{{.State.Status}}' stranger)"
echo 'mistakes are told, and what is done by hand is seen'
