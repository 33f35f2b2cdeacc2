#!/usr/bin/env bash
# exec, attach and port-forward with real crictl and with client-go, over SPDY and WebSocket, behind Mockri's
# streaming server with the machine's own processes.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

need crictl curl
command -v go >/dev/null || skip "no go"
here="$repository/test/peers/streaming"
checks=0

# is WHAT EXPECTED ACTUAL
is() {
  checks=$((checks + 1))
  [ "$2" = "$3" ] && return
  say "failed: $1: expected '$2', got '$3'"
  exit 1
}

node --import tsx "$here/server.ts" "$scratch/cri.sock" >"$scratch/server.out" &
server=$!
at_exit "kill $server"
await 20 test -s "$scratch/server.out" || { say "the server does not start"; exit 1; }
endpoint="unix://$scratch/cri.sock"
cri() { timeout 60 crictl --runtime-endpoint "$endpoint" "$@" 2>>"$scratch/crictl.log"; }

head -c 104857600 /dev/urandom >"$scratch/bytes"
sum=$(sha256sum <"$scratch/bytes")
mkdir "$scratch/www"
ln -s "$scratch/bytes" "$scratch/www/bytes"

# free_port: one that nothing listens on.
free_port() { node -e 'const s = net.createServer().listen(0, () => { console.log(s.address().port); s.close(); })'; }
web=$(free_port)
node --import tsx "$here/web.ts" "$web" "$scratch/www" &
at_exit "kill $!"
await 20 curl -sf "http://127.0.0.1:$web/bytes" -o /dev/null || { say "the web server does not start"; exit 1; }

for transport in spdy websocket; do
  is "exec ($transport)" hello "$(cri exec -r $transport c echo hello)"
  is "stderr ($transport)" oops "$(crictl --runtime-endpoint "$endpoint" exec -r $transport c sh -c 'echo oops >&2' 2>&1)"
  cri exec -r $transport c sh -c 'exit 7' && say "exit 7 was not told" && exit 1
  is "exit code ($transport)" 1 "$(grep -c 'exit code 7' "$scratch/crictl.log")" && : >"$scratch/crictl.log"
  is "100 MB through stdin and back ($transport)" "$sum" "$(cri exec -i -r $transport c cat <"$scratch/bytes" | sha256sum)"
  is "attach ($transport)" attached "$(echo attached | cri attach -i -r $transport c)"
  is "a terminal ($transport)" ok "$(timeout 60 python3 "$here/terminal.py" crictl --runtime-endpoint "$endpoint" exec -it -r $transport c)"

  port=$(free_port)
  timeout 120 crictl --runtime-endpoint "$endpoint" port-forward -r $transport p "$port:$web" >"$scratch/forward.log" 2>&1 &
  forward=$!
  await 20 grep -q Forwarding "$scratch/forward.log" || { say "port-forward does not start"; exit 1; }
  is "100 MB through a forwarded port ($transport)" "$sum" "$(curl -s "http://127.0.0.1:$port/bytes" | sha256sum)"
  for _ in $(seq 20); do curl -s "http://127.0.0.1:$port/" & curls+=" $!"; done >"$scratch/pages"
  wait $curls && curls=''
  is "twenty connections at once ($transport)" 20 "$(grep -c page "$scratch/pages")"
  kill $forward && wait $forward || true
  is "sessions left ($transport)" 0 "$(cri exec -r $transport c count)"
done

(cd "$here/client" && GOFLAGS=-mod=readonly go build -o "$scratch/client" .)
url() { node --import tsx "$here/url.ts" "$scratch/cri.sock" "$@"; }
for protocol in spdy websocket-v5 websocket-v4; do
  is "client-go $protocol" hello "$("$scratch/client" stream $protocol "$(url echo hello)" </dev/null)"
  status=0
  "$scratch/client" stream $protocol "$(url sh -c 'exit 9')" </dev/null || status=$?
  is "client-go $protocol exit code" 9 "$status"
done
for protocol in spdy websocket-v5; do
  is "client-go $protocol, 100 MB" "$sum" "$("$scratch/client" stream $protocol "$(url -i cat)" <"$scratch/bytes" | sha256sum)"
done
is "sessions left" 0 "$(cri exec c count)"
recorded=$(sed -n "s/^  '\([0-9a-f]*\)',\$/\1/p" "$repository/src/streaming/spdy/recorded.test.ts" | tr -d '\n')
is "recorded bytes" "$recorded" "$("$scratch/client" bytes)"

echo "$checks checks with crictl and client-go"
