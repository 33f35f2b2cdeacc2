# Does my script survive a runtime that is gone for a while? Sourced with $MOCKRI set, for instance to "npx mockri".
set -euo pipefail
directory=$(mktemp -d)
$MOCKRI serve --listen "unix://$directory/cri.sock" --control 127.0.0.1:0 >"$directory/ready" 2>"$directory/log" &
server=$!
trap 'kill $server; wait $server || true; rm -rf "$directory"' EXIT
until [ -s "$directory/ready" ]; do kill -0 $server; sleep 0.1; done
control=$(jq -r .control "$directory/ready")
export CONTAINER_RUNTIME_ENDPOINT=unix://$directory/cri.sock

crictl version | grep 'RuntimeName:  mockri' >/dev/null

# The runtime goes away at the next call and is back two seconds later.
curl -sf "$control/v1/faults" -d '{"shorthand": "Version=1*restart(2s)", "name": "gone"}' >/dev/null
crictl version 2>/dev/null && exit 1
tries=1
until crictl version >/dev/null 2>&1; do
  tries=$((tries + 1))
  sleep 0.2
done
echo "it was back after $tries tries"

# The rule has acted as often as it should, and the history tells what it did.
[ "$(curl -sf "$control/v1/faults/gone" | jq '.applied, .left' | xargs)" = '1 0' ]
curl -sf "$control/v1/calls?faulty=true" | jq -e '.calls[0] | .method == "Version" and .faults == ["gone"]' >/dev/null
curl -sf -X POST "$control/v1/reset" >/dev/null
