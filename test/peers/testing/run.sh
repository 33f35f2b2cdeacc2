#!/usr/bin/env bash
# Runs the Go and shell examples of docs/testing.md, exactly as printed there, against mockri serve.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need crictl curl jq
command -v go >/dev/null || skip "no go"
here="$repository/test/peers/testing"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
export MOCKRI="node $repository/dist/src/cli/main.js"

bash "$here/restart.sh" >"$scratch/shell.out" || { cat "$scratch/shell.out"; say "the shell's example failed"; exit 1; }
grep -qE '^the runtime was back after ([2-9]|[1-9][0-9]+) tries$' "$scratch/shell.out" ||
  { say "the runtime did not restart: $(cat "$scratch/shell.out")"; exit 1; }
(cd "$here/go" && go test -count=1 ./...) || { say "Go's example failed"; exit 1; }
echo "2 examples work"
