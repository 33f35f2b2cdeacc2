#!/usr/bin/env bash
# Runs the Go and shell examples of docs/testing.md, exactly as printed there, against mockri serve.
source "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need crictl curl jq
command -v go >/dev/null || skip "no go"
here="$repository/test/peers/testing"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
servers() { pgrep -fc 'mockri.* serve .*cri\.sock' || true; }

shell_example() {
  bash "$here/restart.sh" >"$scratch/shell.out" || { cat "$scratch/shell.out"; say "the shell example failed"; exit 1; }
  grep -qE '^the runtime was back after ([2-9]|[1-9][0-9]+) tries$' "$scratch/shell.out" ||
    { say "the runtime did not restart: $(cat "$scratch/shell.out")"; exit 1; }
}
go_example() { (cd "$here/go" && go test -count=1 ./...) || { say "the Go example failed"; exit 1; }; }

# As a user runs them: in the checkout, with npx, which stands between the example and the server.
cd "$repository"
for MOCKRI in "node $repository/dist/src/cli/main.js" "npx --prefix $repository mockri"; do
  export MOCKRI
  before=$(servers)
  shell_example
  go_example
  await 10 test "$(servers)" = "$before" || { say "$MOCKRI left servers behind: $before before, $(servers) after"; exit 1; }
done
echo "2 examples work, with node and with npx, and leave no server behind"
