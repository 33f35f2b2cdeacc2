#!/usr/bin/env bash
# exec, attach and port-forward with real crictl and with client-go, over SPDY and WebSocket, on mockri serve.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"

need crictl curl jq
command -v go >/dev/null || skip "no go"
here="$repository/test/peers/suites/streaming"

start_mockri
socket=${endpoint#unix://}
# Without a configuration file crictl warns on stderr, which the checks read.
printf 'timeout: 60\n' >"$scratch/crictl.yaml"
export CRI_CONFIG_FILE=$scratch/crictl.yaml
cri() { timeout -k 1 60 crictl --runtime-endpoint "$endpoint" --image-endpoint "$endpoint" "$@" 2>>"$scratch/crictl.log"; }

# A pod with a container that echoes and sees its own processes only, and one that serves files.
cat >"$scratch/pod.json" <<'JSON'
{"metadata": {"name": "p", "namespace": "default", "uid": "u"}}
JSON
cat >"$scratch/container.json" <<'JSON'
{"metadata": {"name": "c"}, "image": {"image": "busybox"}, "command": ["cat"], "stdin": true,
 "linux": {"security_context": {"namespace_options": {"pid": 1}}}}
JSON
pod=$(cri runp "$scratch/pod.json")
container=$(cri create --with-pull "$pod" "$scratch/container.json" "$scratch/pod.json")
cri start "$container" >/dev/null

# processes: of the container, this one left out.  connections: that the server has open.
processes() { cri exec "$container" ps -o comm | grep -cvE 'COMMAND|ps'; }
connections() { find "/proc/$mockri/fd" -lname 'socket:*' | wc -l; }

head -c 104857600 /dev/urandom >"$scratch/bytes"
sum=$(sha256sum <"$scratch/bytes")
mkdir "$scratch/www"
cp "$scratch/bytes" "$scratch/www/bytes"
echo page >"$scratch/www/index.html"
web=80
jq --arg www "$scratch/www" '.metadata.name = "web" | .stdin = false | .command = ["httpd", "-f", "-p", "80", "-h", "/www"]
  | .mounts = [{host_path: $www, container_path: "/www", readonly: true}]' "$scratch/container.json" >"$scratch/web.json"
cri start "$(cri create "$pod" "$scratch/web.json" "$scratch/pod.json")" >/dev/null

for transport in spdy websocket; do
  same "exec ($transport)" hello "$(cri exec -r $transport "$container" echo hello)"
  same "stderr ($transport)" oops "$(crictl --runtime-endpoint "$endpoint" exec -r $transport "$container" sh -c 'echo oops >&2' 2>&1)"
  cri exec -r $transport "$container" sh -c 'exit 7' && say "exit 7 was not told" && exit 1
  same "exit code ($transport)" 1 "$(grep -c 'exit code 7' "$scratch/crictl.log")" && : >"$scratch/crictl.log"
  same "100 MB through stdin and back ($transport)" "$sum" "$(cri exec -i -r $transport "$container" cat <"$scratch/bytes" | sha256sum)"
  # stdin_once: the end of what the client sends is the end of the container's input, so that cat ends.
  jq ".metadata.name = \"$transport\" | .stdin_once = true" "$scratch/container.json" >"$scratch/once.json"
  once=$(cri create "$pod" "$scratch/once.json" "$scratch/pod.json")
  cri start "$once" >/dev/null
  same "attach ($transport)" attached "$(echo attached | cri attach -i -r $transport "$once")"
  same "a terminal ($transport)" ok "$(timeout 60 python3 "$here/terminal.py" crictl --runtime-endpoint "$endpoint" exec -it -r $transport "$container")"

  port=$(free_port)
  timeout 120 crictl --runtime-endpoint "$endpoint" port-forward -r $transport "$pod" "$port:$web" >"$scratch/forward-$transport.log" 2>&1 &
  forward=$!
  await 20 grep -qs Forwarding "$scratch/forward-$transport.log" || { say "port-forward does not start"; exit 1; }
  same "100 MB through a forwarded port ($transport)" "$sum" "$(curl -s "http://127.0.0.1:$port/bytes" | sha256sum)"
  for _ in $(seq 20); do curl -s "http://127.0.0.1:$port/" & curls+=" $!"; done >"$scratch/pages"
  wait $curls && curls=''
  same "twenty connections at once ($transport)" 20 "$(grep -c page "$scratch/pages")"
  kill $forward && wait $forward || true

  # A client that is killed in the middle takes its process with it. Unread bytes hide that it has gone: two probes, 10 s apart, find it.
  crictl --runtime-endpoint "$endpoint" exec -i -r $transport "$container" sleep 1000 <"$scratch/bytes" >/dev/null 2>&1 &
  client=$!
  await 20 eval '[ "$(processes)" = 2 ]' || { say "sleep does not run"; exit 1; }
  kill -9 $client && wait $client 2>/dev/null || true
  await 60 eval '[ "$(processes)" = 1 ]' || true
  same "processes left ($transport)" 1 "$(processes)"
done

(cd "$here/client" && GOFLAGS=-mod=readonly go build -o "$scratch/client" .)
url() { node --import tsx "$here/url.ts" "$socket" "$container" "$@"; }
for protocol in spdy websocket-v5 websocket-v4; do
  same "client-go $protocol" hello "$("$scratch/client" stream $protocol "$(url echo hello)" </dev/null)"
  status=0
  "$scratch/client" stream $protocol "$(url sh -c 'exit 9')" </dev/null || status=$?
  same "client-go $protocol exit code" 9 "$status"
done
for protocol in spdy websocket-v5; do
  same "client-go $protocol, 100 MB" "$sum" "$("$scratch/client" stream $protocol "$(url -i cat)" <"$scratch/bytes" | sha256sum)"
done
same "processes left" 1 "$(processes)"
before=$(connections)
for _ in $(seq 5); do cri exec -i "$container" cat <<<x >/dev/null; done
await 10 eval '[ "$(connections)" -le "$before" ]' || true
same "connections left" yes "$([ "$(connections)" -le "$before" ] && echo yes)"
recorded=$(sed -n "s/^  '\([0-9a-f]*\)',\$/\1/p" "$repository/src/cri/spdy/recorded.test.ts" | tr -d '\n')
same "recorded bytes" "$recorded" "$("$scratch/client" bytes)"

[ "$failures" = 0 ] || exit 1
echo "$checks checks with crictl and client-go"
