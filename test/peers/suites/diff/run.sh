#!/usr/bin/env bash
# Compares Mockri with itself, which must show no difference, and containerd 2.4 with 2.3, which must show known ones.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
source "$here/../../programs/in-memory.sh"
need jq

# diff_of A B SEQUENCES [FLAG...]: writes the report; the exit status is 1 for differences.
diff_of() {
  local status=0
  node "$repository/dist/src/cli/main.js" diff "$1" "$2" --sequences "$3" --json "${@:4}" >"$scratch/report.json" || status=$?
  [ "$status" -le 1 ] || { say "mockri diff ended with $status" && exit 1; }
  jq -e '.leftovers == []' "$scratch/report.json" >/dev/null || { say 'something was left' && exit 1; }
}

# found METHOD ASPECT: a kind of difference that must have been found, with at most six calls.
found() {
  jq -e --arg method "$1" --arg aspect "$2" \
    '.kinds | any(.method == $method and .aspect == $aspect and .calls <= 6)' "$scratch/report.json" >/dev/null && return
  say "no difference of $1 ($2) was found:"
  jq . "$scratch/report.json" >&2
  exit 1
}

start_mockri
diff_of "$endpoint" "$endpoint" 200
jq -e '.kinds == []' "$scratch/report.json" >/dev/null || { jq . "$scratch/report.json" >&2 && exit 1; }

start_in_memory containerd 2.3 || skip 'no containerd 2.3'
older=$endpoint
start_in_memory containerd 2.4 || skip 'no containerd 2.4'
newer=$endpoint
diff_of "$newer" "$older" 30 --seed 2 --no-subscribers
found Version reply
found CreateContainer text
found StreamImages outcome
jq -r '"no difference between Mockri and itself; \(.kinds | length) kinds between containerd 2.4 and 2.3 in \(.seconds | floor) s"' \
  "$scratch/report.json"
