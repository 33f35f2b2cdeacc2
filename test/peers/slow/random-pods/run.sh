#!/usr/bin/env bash
# Random pods with random faults, about 60 on one node, on the thin kubelet and on the real one on virtual time: calls, rows
# and events are in the same order at about the same times. What differs is run again by itself with other seeds; what
# differs then is printed by kind, with the pods of OUT that show it.
#   PODS (default 60), VERSION (default 1.37.2), SEED (of the first node; default 1)
#   OUT: a file with a line of JSON for each node; what it has is not run again
#   RECORD=1: what the program does with PODS pods that do not differ becomes test/oracle/random-pods/kubelet-VERSION.jsonl
#   SHRINK: pods of OUT, or "all" for one of each kind: they are reduced to the smallest ones that differ
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
cd "$repository"
main=test/peers/slow/random-pods/main.ts out=${OUT:-$scratch/pods.jsonl}

if [ -n "${SHRINK:-}" ]; then
  # shellcheck disable=SC2086
  npx tsx "$main" shrink "$out" ${SHRINK#all}
  exit
fi
if [ -n "${RECORD:-}" ]; then
  npx tsx "$main" record "${VERSION:-1.37.2}" "${PODS:-12}" "${SEED:-1}"
  exit
fi
npx tsx "$main" bulk "${VERSION:-1.37.2}" "${PODS:-60}" "${SEED:-1}" "$out"
