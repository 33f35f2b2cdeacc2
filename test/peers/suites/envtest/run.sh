#!/usr/bin/env bash
# Runs the examples of clients/go/envnode on controller-runtime's envtest with the real API server and etcd, the kits for
# Python and TypeScript on the same, and looks for what tests that end badly leave behind.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need kubernetes
command -v go >/dev/null || skip "no go"
command -v python3 >/dev/null || skip "no python3"
here="$repository/test/peers/suites/envtest" module="$repository/clients/go/envnode"
export KUBEBUILDER_ASSETS="$peers/bin" MOCKRI="node $repository/dist/src/cli/main.js" TMPDIR="$scratch/tmp"
mkdir "$TMPDIR"

# With the examples' client-go, which other tests have compiled; a user's is any since 0.31.
cd "$module/examples"
test -z "$(gofmt -l "$module")"
go vet -tags peers mockri.dev/clients/go/envnode ./...
go test mockri.dev/clients/go/envnode >&2
begun=$SECONDS
go test -count=1 ./... >&2
took=$((SECONDS - begun))

python3 -m venv "$scratch/venv" && "$scratch/venv/bin/python" -m pip install --quiet "$repository/clients/python" pytest >&2 || skip "no pytest"
go test -tags peers -c -o "$scratch/examples" .
OTHER_LANGUAGES="$scratch/venv/bin/python -m pytest -q -p no:cacheprovider $here/python
cd $repository && npx tsx $here/start-node.ts" "$scratch/examples" -test.run TestOtherLanguages

# processes: the ids of the nodes that were started here.
processes() {
  local pid
  for pid in $(pgrep -f 'main.js node '); do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "TMPDIR=$TMPDIR" && echo "$pid"
  done
}
no_process() { [ -z "$(processes)" ]; }
nothing_left() { no_process && ! compgen -G "$TMPDIR/mockri-*" >/dev/null; }
# Before this, every test ended well.
within 10 "tests leave nothing behind" nothing_left
for end in panic crash; do
  holds "a test fails with $end" eval "! END=$end '$scratch/examples' -test.run TestEndsBadly -test.timeout 60s >'$scratch/$end.out' 2>&1"
  # The program that was killed has left its directory.
  if [ $end = crash ]; then await 30 no_process && rm -rf "$TMPDIR"/mockri-node-*; fi
  within 10 "$end leaves nothing behind" nothing_left
done
same "the line of a crash" 1 "$(grep -c 'mockri: node .*main.js node has ended (signal: killed)' "$scratch/crash.out")"
END=kill "$scratch/examples" -test.run TestEndsBadly >"$scratch/kill.out" 2>&1 &
test=$!
await 30 grep -q started "$scratch/kill.out"
kill -KILL $test
wait $test || true
within 10 "a test that is killed leaves nothing behind" nothing_left
# envtest's own programs outlive a test that ends badly.
for pid in $(pgrep -f "$KUBEBUILDER_ASSETS/(etcd|kube-apiserver)"); do
  if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "TMPDIR=$TMPDIR"; then kill -KILL "$pid"; fi
done
echo "the examples pass in $took s; those in Python and TypeScript too; $checks checks of what is left behind"
