# Tests that a script survives a restart of the runtime. Set $MOCKRI first, for example to "node ../mockri/dist/src/cli/main.js".
set -euo pipefail
directory=$(mktemp -d)
$MOCKRI serve --listen "unix://$directory/cri.sock" --control 127.0.0.1:0 >"$directory/ready" 2>"$directory/log" &
server=$!
until [ -s "$directory/ready" ]; do kill -0 $server; sleep 0.1; done
# The ready line has the server's own pid. $server may be npx, which does not pass signals on.
trap 'kill $(jq .pid "$directory/ready"); wait $server || true; rm -rf "$directory"' EXIT
control=$(jq -r .control "$directory/ready")
export CONTAINER_RUNTIME_ENDPOINT=unix://$directory/cri.sock

crictl version | grep 'RuntimeName:  mockri' >/dev/null

# The runtime restarts at the next call of Status and is back two seconds later. crictl 1.37 repeats its first call, Version.
curl -sf "$control/v1/faults" -d '{"shorthand": "Status=1*restart(2s)", "name": "gone"}' >/dev/null
crictl info >/dev/null 2>&1 && exit 1
tries=1
until crictl info >/dev/null 2>&1; do
  tries=$((tries + 1))
  sleep 0.2
done
echo "the runtime was back after $tries tries"

# The rule acted once, and the call history shows the call that it affected.
[ "$(curl -sf "$control/v1/faults/gone" | jq '.applied, .left' | xargs)" = '1 0' ]
curl -sf "$control/v1/calls?faulty=true" | jq -e '.calls[0] | .method == "Status" and .faults == ["gone"]' >/dev/null
curl -sf -X POST "$control/v1/reset" >/dev/null
