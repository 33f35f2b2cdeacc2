#!/usr/bin/env bash
# Clients of others, unmodified, on mockri serve: every RPC with the kubelet's client in Go (k8s.io/cri-client), and with
# what protoc makes of api.proto for Python.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
need curl

mapfile -t rpcs < <(sed -n 's/^  rpc \(\w*\)(.*/\1/p' "$repository/proto/runtime/v1/api.proto" | sort)
# called: the RPCs that have succeeded; a client leaves the stream of events.
called() { curl -s "$control/metrics" | sed -n 's/^mockri_rpc_total{method="\(\w*\)",code="\(OK\|CANCELLED\)".*/\1/p' | sort -u | xargs; }
all_called() { [ "$(called)" = "${rpcs[*]}" ]; }
# calls_every_rpc CLIENT COMMAND...
calls_every_rpc() {
  rm -f "$scratch/mockri.out"
  start_mockri
  holds "$1" "${@:2}" "$endpoint" "$scratch/$1"
  await 10 all_called || true
  same "the RPCs that $1 calls" "${rpcs[*]}" "$(called)"
  kill "$mockri" && wait "$mockri" || true
}

command -v go >/dev/null || skip "no go"
(cd "$here/go" && GOFLAGS=-mod=readonly go build -o "$scratch/client" .)
calls_every_rpc cri-client "$scratch/client"

need protoc grpc_python_plugin
mkdir "$scratch/stubs"
protoc -I "$repository/proto/runtime/v1" --plugin "protoc-gen-grpc_python=$(command -v grpc_python_plugin)" \
  --python_out "$scratch/stubs" --grpc_python_out "$scratch/stubs" api.proto
# Debian's Python has the modules of Debian's packages.
PYTHONPATH="$scratch/stubs" calls_every_rpc python /usr/bin/python3 "$here/client.py"

[ "$failures" = 0 ] || exit 1
echo "${#rpcs[@]} RPCs with k8s.io/cri-client and with Python"
