#!/usr/bin/env bash
# Builds the single executable, and uses it as a user who has neither Node nor the checkout.
# uses: executable
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need crictl curl jq
cd "$repository"
[ -f dist/src/cli/main.js ] || npm run --silent build >&2
npm run --silent build:binary >&2
mkdir "$scratch/bin" "$scratch/home" "$scratch/tmp"
cp .build/mockri-linux-* "$scratch/bin/mockri"
cd "$scratch/home"
# Nothing else is on the PATH.
bare() { env -i PATH="$scratch/bin" HOME="$scratch/home" TMPDIR="$scratch/tmp" "$@"; }
bare node --version 2>/dev/null && { say "there is a node on the PATH of the test"; exit 1; }

[ "$(bare mockri --version)" = "$(jq -r .version "$repository/package.json")" ]
# The commands that mockri --help lists.
commands=$(bare mockri --help | sed -n '/^Commands:/,$ s/^  \([a-z][a-z]*\) .*/\1/p' | grep -v '^help$')
[ "$(wc -w <<<"$commands")" -ge 10 ] || { say "mockri --help lists: $commands"; exit 1; }
for command in $commands; do bare mockri "$command" --help | grep '^Usage: mockri' >/dev/null || { say "mockri $command --help failed"; exit 1; }; done

bare mockri serve --listen "unix://$scratch/cri.sock" --control 127.0.0.1:0 --reflection --exit-with-stdin \
  --record "$scratch/run.tape.gz" < <(sleep 600) >"$scratch/ready" 2>"$scratch/log" &
server=$!
at_exit "kill \$(jq .pid $scratch/ready) 2>/dev/null"
await 20 test -s "$scratch/ready" || { cat "$scratch/log" >&2; exit 1; }
control=$(jq -r .control "$scratch/ready")
crictl -r "unix://$scratch/cri.sock" version | grep "RuntimeName:  mockri" >/dev/null
bare mockri fault add 'Status=1*error(UNAVAILABLE)' --control "$control" >/dev/null
crictl -r "unix://$scratch/cri.sock" info >/dev/null 2>&1 && { say "the rule did not act"; exit 1; }
for path in / /metrics /v1/openapi.json; do curl -sf -o /dev/null "$control$path" || { say "no $path"; exit 1; }; done
kill "$(jq .pid "$scratch/ready")"
wait $server || { cat "$scratch/log" >&2; exit 1; }

bare mockri tape show "$scratch/run.tape.gz" | grep Version >/dev/null
bare mockri tape view "$scratch/run.tape.gz" --output "$scratch/page.html"
bare mockri simulate crash-loop-back-off >/dev/null
# Worker threads load the program from its directory too.
bare mockri explore crash-loop-back-off --budget 2 --json >"$scratch/explore" || [ $? = 1 ]
[ "$(jq .schedules "$scratch/explore")" -ge 2 ] || { cat "$scratch/explore"; exit 1; }

# Two programs that start for the first time do not disturb each other; without a cache it works too.
rm -rf "$scratch/home/.cache"
for try in 1 2 3; do bare mockri --version >"$scratch/version$try" & done
wait
cat "$scratch"/version? | sort -u | wc -l | grep -qx 1
[ "$(find "$scratch/home/.cache/mockri" -mindepth 1 -maxdepth 1 | wc -l)" = 1 ] || { ls "$scratch/home/.cache/mockri"; exit 1; }
bare XDG_CACHE_HOME=/proc/nowhere mockri --version >/dev/null
[ -z "$(ls "$scratch/tmp")" ] || { say "left in the temporary directory: $(ls "$scratch/tmp")"; exit 1; }
echo "the executable ($(du -m "$scratch/bin/mockri" | cut -f1) MB) works without Node: $(wc -w <<<"$commands") commands"
