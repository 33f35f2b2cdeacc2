#!/usr/bin/env bash
# What people get wrong, and what they do behind the server's back:  misuse.sh ENGINE
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/checks.sh"
engine=${1:?usage: misuse.sh ENGINE}
export DOCKER_HOST=$engine

refuses 'the socket does not exist .* is dockerd running' $(serve --docker-host unix:///nowhere/docker.sock)
refuses 'nothing listens .* is dockerd running' $(serve --docker-host tcp://127.0.0.1:1)
refuses 'is not unix:///path, tcp://host:port' $(serve --docker-host 127.0.0.1)
refuses 'ca.pem can.t be read' $(serve --docker-host tcp://127.0.0.1:1) --docker-cert-path "$scratch"
chmod 0600 "${engine#unix://}"
chmod a+x "$scratch" "$(dirname "${engine#unix://}")"
# May read the program wherever it is, but not write to the socket.
readable=(--inh-caps=+dac_read_search --ambient-caps=+dac_read_search)
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups "${readable[@]}")
refuses 'no permission on the socket .* group docker' "${nobody[@]}" $(serve --docker-host "$engine")

node -e 'require("http").createServer((_, reply) => reply.setHeader("content-type", "application/json")
  .end(JSON.stringify({Version: "1.12", ApiVersion: "1.24"}))).listen(process.argv[1])' "$scratch/old.sock" &
at_exit "kill $!"
await 5 test -S "$scratch/old.sock"
refuses 'Docker 1.12 .* speaks API 1.24; 1.41 .* is needed' $(serve --docker-host "unix://$scratch/old.sock")

start_on "$engine"
write_pod web

cri pull "$busybox" >/dev/null
docker run -d --name stranger "$busybox" sleep 1000 >/dev/null
pod=$(cri runp "$scratch/pod.json")
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
cri exec -s --timeout 1 "$container" sh -c 'exec >&- 2>&-; sleep 555' 2>"$scratch/err" && { say 'a command without output outlived its timeout'; exit 1; }
grep -q DeadlineExceeded "$scratch/err"
same 'what is left of it' '' "$(docker top "mockri-$container" -o pid,args | grep 555 || true)"
same 'a container of somebody else is not listed' "$container" "$(cri ps -aq)"
docker rm -f "mockri-$container" >/dev/null
await 5 gone ps -aq || { say 'a container that was removed by hand is still shown'; exit 1; }
for _ in 1 2 3 4 5; do
  container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
  cri start "$container" >/dev/null
  docker rm -f "mockri-$container" >/dev/null 2>&1 &
  removal=$!
  sleep 0.0$((RANDOM % 10))
  # crictl asks for the container first, which may be gone by then.
  cri rm -f "$container" >/dev/null 2>"$scratch/err" || grep -q 'not found' "$scratch/err" || {
    cat "$scratch/err" >&2
    say 'a removal fails while another one is in progress'
    exit 1
  }
  wait "$removal" || true
done
container=$(cri create "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null
docker kill "mockri-$pod" >/dev/null
await 5 gone pods -q -s ready || { say 'a sandbox that was killed by hand is still ready'; exit 1; }
same 'its container' CONTAINER_EXITED "$(cri inspect -o go-template --template '{{.status.state}}' "$container")"
docker rm -f "mockri-$pod" >/dev/null
await 5 gone pods -q || { say 'a sandbox that was removed by hand is still shown'; exit 1; }
same 'nothing is left of the pod' '' "$(docker ps -aq --filter label=dev.mockri.kind)"
same 'a container of somebody else is left alone' running "$(docker inspect -f '{{.State.Status}}' stranger)"
echo 'mistakes are told, and what is done by hand is seen'
