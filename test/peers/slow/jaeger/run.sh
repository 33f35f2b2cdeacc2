#!/usr/bin/env bash
# Sends an exported tape to Jaeger, which must show each call as a span and correct nothing. On demand: to build Jaeger
# from its Go module takes ten minutes or more.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need jq curl
version=v1.76.0
command -v go >/dev/null || skip 'go is needed to build Jaeger'

# Its go.mod replaces a module, so that `go install` refuses it.
build_jaeger() {
  local module
  module=$(cd "$scratch" && go mod download -json "github.com/jaegertracing/jaeger@$version" | jq -r .Dir) || return
  cp -r --no-preserve=mode "$module" "$scratch/jaeger"
  (cd "$scratch/jaeger" && go build -o "$peers/bin/jaeger-$version" ./cmd/all-in-one)
}
command -v "jaeger-$version" >/dev/null || build_jaeger >&2 || skip "Jaeger can't be built"

query=$(free_port) otlp=$(free_port)
# Every server of it gets a port; those that no test needs get any.
COLLECTOR_OTLP_ENABLED=true "jaeger-$version" --log-level=error --query.http-server.host-port="127.0.0.1:$query" \
  --collector.otlp.http.host-port="127.0.0.1:$otlp" --collector.otlp.grpc.host-port=127.0.0.1:0 \
  --collector.http-server.host-port=127.0.0.1:0 --collector.grpc-server.host-port=127.0.0.1:0 \
  --query.grpc-server.host-port=127.0.0.1:0 --admin.http.host-port=127.0.0.1:0 >"$scratch/log" 2>&1 &
jaeger=$!
at_exit "kill $jaeger; wait $jaeger 2>/dev/null"
await 20 curl -fs "http://127.0.0.1:$query/api/services" || { cat "$scratch/log" >&2; exit 1; }

program="$repository/dist/src/cli/main.js"
[ -f "$program" ] || (cd "$repository" && npm run --silent build >&2)
node "$program" simulate crash-loop-back-off --record "$scratch/run.tape.gz" >/dev/null
wanted=$(node "$program" tape show "$scratch/run.tape.gz" --flat --only call --json | wc -l)
node "$program" tape export "$scratch/run.tape.gz" --format otlp >"$scratch/spans"
while IFS= read -r line; do
  curl -fsS -H 'content-type: application/json' --data-binary @- "http://127.0.0.1:$otlp/v1/traces" <<<"$line" >/dev/null
done <"$scratch/spans"

# shows FILTER: what it says of the spans that it has.
shows() {
  curl -fs "http://127.0.0.1:$query/api/traces?service=mockri&start=0&limit=1000" | jq "[.data[].spans[]] | $1"
}
has_all() { [ "$(shows 'map(select(any(.tags[]; .key == "rpc.method"))) | length')" -ge "$wanted" ]; }
within 20 "$wanted calls are spans" has_all
corrected=$(shows 'map(select(.warnings)) | length')
holds "no span is corrected" [ "$corrected" = 0 ]
echo "$wanted calls are spans in Jaeger $version"
[ "$failures" = 0 ]
