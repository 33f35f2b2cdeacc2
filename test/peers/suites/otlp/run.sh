#!/usr/bin/env bash
# Exports a tape as OTLP JSON lines, and reads them with the parser of the OpenTelemetry collector.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
command -v go >/dev/null || skip 'go is needed to build the parser'
(cd "$here/check" && GOFLAGS=-mod=readonly go build -o "$peers/bin/otlp-check" .) || skip "the parser can't be built"

program="$repository/dist/src/cli/main.js"
[ -f "$program" ] || (cd "$repository" && npm run --silent build >&2)
node "$program" simulate crash-loop-back-off --record "$scratch/run.tape.gz" >/dev/null
wanted=$(node "$program" tape show "$scratch/run.tape.gz" --flat --only call --json | wc -l)
spans=$(node "$program" tape export "$scratch/run.tape.gz" --format otlp | otlp-check)
[ "$spans" -ge "$wanted" ] || { say "$spans spans for $wanted calls"; exit 1; }

if echo '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":1}]}]}]}' | otlp-check 2>/dev/null; then
  say 'a damaged export was read' && exit 1
fi
echo "$wanted calls are $spans spans of OpenTelemetry"
