#!/usr/bin/env bash
# Every scenario of the library on the real kubelet: what is expected of it holds. Then, for each, the seconds that it took
# and whether the rows are those of the thin kubelet, in this order.
#   VERSION (default 1.37.2); OUT: a file for the table; SCENARIOS: names, all by default
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
version=${VERSION:-1.37.2} minor=$(cut -d . -f 1,2 <<<"$version")

command -v go >/dev/null || skip "no go"
mockri kubelet-build --version "$version" >/dev/null
# rows: what a table shows, without times: the program takes a second to start, and syncs with another jitter.
rows() { sed -nE 's/^[0-9hms.]+ +([^ ]+ +[0-9]+\/[0-9]+ .*)$/\1/p' "$1"; }
names=${SCENARIOS:-$(cd "$repository/scenarios" && basename -s .yaml -- *.yaml)}
equal=0 total=0
for name in $names; do
  begin=$(date +%s.%N) rows=same
  holds "$name" mockri simulate "$name" --kubelet "$version" --seed 1 >"$scratch/real"
  seconds=$(awk -v begin="$begin" -v end="$(date +%s.%N)" 'BEGIN { printf "%.1f", end - begin }')
  mockri simulate "$name" --kubelet-version "$minor" --seed 1 >"$scratch/thin" || true
  total=$((total + 1))
  if diff <(rows "$scratch/thin") <(rows "$scratch/real") >"$scratch/difference"; then equal=$((equal + 1)); else rows=differ; fi
  printf '| `%s` | %s | %s |\n' "$name" "$seconds" "$rows" | tee -a "${OUT:-/dev/null}" >&2
  [ "$rows" = same ] || sed 's/^/    /' "$scratch/difference" >&2
done
echo "$((checks - failures)) of $total scenarios hold on kubelet $version; $equal have the rows of the thin kubelet"
