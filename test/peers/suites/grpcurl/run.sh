#!/usr/bin/env bash
# grpcurl, which knows no api.proto, on mockri serve --reflection: list, describe, and a call of every RPC.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"

need grpcurl jq
start_mockri --reflection
# Streams end by -max-time.
ask() { grpcurl -plaintext -unix -max-time 3 "$@"; }
socket=${endpoint#unix://}

same "list" "grpc.health.v1.Health runtime.v1.ImageService runtime.v1.RuntimeService" \
  "$(ask "$socket" list | sort | xargs)"
same "health" SERVING "$(ask "$socket" grpc.health.v1.Health/Check | jq -r .status)"
same "Version" mockri "$(ask -d '{"version": "v1"}' "$socket" runtime.v1.RuntimeService/Version | jq -r .runtimeName)"

calls=0
for service in RuntimeService ImageService; do
  for method in $(ask "$socket" list "runtime.v1.$service"); do
    request=$(ask "$socket" describe "$method" | sed -n 's/.*( \.\(.*\) ) returns.*/\1/p')
    ask "$socket" describe "$request" >"$scratch/request" || { say "describe $request fails"; exit 1; }
    status=0
    ask -d '{}' "$socket" "${method%.*}/${method##*.}" >"$scratch/out" 2>"$scratch/err" || status=$?
    # grpcurl ends with 64 and the gRPC code; less is its own failure, 77 INTERNAL.
    if { [ "$status" != 0 ] && [ "$status" -lt 64 ]; } || [ "$status" = 77 ]; then
      say "$method: exit status $status"
      cat "$scratch/err" >&2
      exit 1
    fi
    calls=$((calls + 1))
  done
done
[ "$calls" -ge 40 ] || { say "only $calls RPCs are listed"; exit 1; }
say "grpcurl: $calls RPCs described and called"
