#!/usr/bin/env bash
# Runs the Go, Python and shell examples of docs/testing.md, exactly as printed there, against mockri serve, the first two also
# without Node and this checkout, and looks for
# what tests leave behind that end badly.
# uses: executable
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need crictl curl jq
command -v go >/dev/null || skip "no go"
command -v python3 >/dev/null || skip "no python3"
here="$repository/test/peers/suites/testing"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)

# Servers of this script have their sockets in this directory.
export TMPDIR="$scratch/tmp"
mkdir "$TMPDIR"
# servers: the ids of those that were started here; other tests may have theirs.
servers() {
  local pid
  for pid in $(pgrep -f 'mockri.* serve '); do
    tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qxF "TMPDIR=$TMPDIR" && echo "$pid"
  done
}
nothing_left() { [ -z "$(servers)" ] && ! compgen -G "$TMPDIR/mockri-*" >/dev/null; }
check_nothing_left() {
  await 20 nothing_left || {
    say "$1 left behind:"
    servers | xargs -r ps -fp >&2 || true
    ls "$TMPDIR" >&2
    exit 1
  }
}

python="$scratch/venv/bin/python"
python3 -m venv "$scratch/venv" && "$python" -m pip install --quiet "$repository/clients/python" pytest mypy openapi-spec-validator >&2 ||
  skip "no pytest"

shell_example() {
  bash "$here/restart.sh" >"$scratch/shell.out" || { cat "$scratch/shell.out"; say "the shell example failed"; exit 1; }
  grep -qE '^the runtime was back after [1-9][0-9]* tries$' "$scratch/shell.out" ||
    { say "the runtime did not restart: $(cat "$scratch/shell.out")"; exit 1; }
}
go_example() { (cd "$here/go" && go test -count=1 ./...) || { say "the Go example failed"; exit 1; }; }
python_example() {
  "$python" -m pytest -q -p no:cacheprovider "$here"/python/test_*.py || { say "the Python example failed"; exit 1; }
}

# As a user runs them: in the checkout, with npx, which stands between the example and the server.
cd "$repository"
for MOCKRI in "node $repository/dist/src/cli/main.js" "npx --prefix $repository mockri"; do
  export MOCKRI
  for example in shell_example go_example python_example; do
    $example
    check_nothing_left "$example with $MOCKRI"
  done
done

# A test that panics, one that times out, and one that is killed.
(cd "$here/go" && go test -tags orphan -c -o "$scratch/orphan" .)
END=panic "$scratch/orphan" -test.run TestEndsBadly >"$scratch/panic.out" 2>&1 && { say "it did not panic"; exit 1; }
grep -q '^started' "$scratch/panic.out" && grep -q 'the test panics' "$scratch/panic.out"
check_nothing_left "a Go test that panics"
"$scratch/orphan" -test.run TestEndsBadly -test.timeout 10s >"$scratch/timeout.out" 2>&1 && { say "it did not time out"; exit 1; }
grep -q '^started' "$scratch/timeout.out" && grep -q 'test timed out' "$scratch/timeout.out"
check_nothing_left "a Go test that times out"
for language in go python; do
  # A file for each language: the last test's output also says "started".
  output="$scratch/killed-$language.out"
  case $language in
    go) "$scratch/orphan" -test.run TestEndsBadly >"$output" 2>&1 & ;;
    python) "$python" -m pytest -q -s -p no:cacheprovider "$here/python/hangs.py" >"$output" 2>&1 & ;;
  esac
  test=$!
  await 30 grep -qs started "$output"
  nothing_left && { say "no server runs during the test in $language"; exit 1; }
  kill -KILL $test
  wait $test || true
  check_nothing_left "a $language test that is killed"
done

# As a user who has neither Node nor the checkout: the executable is on the PATH. The Go module is not published: its copy
# stands for it.
[ -n "$(compgen -G "$repository/.build/mockri-linux-*64")" ] || (cd "$repository" && npm run --silent build:binary >&2)
elsewhere="$scratch/elsewhere"
mkdir -p "$elsewhere"/{bin,home,go,python}
cp "$repository"/.build/mockri-linux-*64 "$elsewhere/bin/mockri"
for program in go crictl; do ln -s "$(command -v $program)" "$elsewhere/bin/$program"; done
cp -r "$repository/clients/go" "$elsewhere/mockri-go"
cp "$here/go"/{go.mod,go.sum,mockri_test.go} "$elsewhere/go/"
cp "$here/python/test_retry.py" "$elsewhere/python/"
bare() {
  env -i PATH="$elsewhere/bin" HOME="$elsewhere/home" TMPDIR="$TMPDIR" GOCACHE="$(go env GOCACHE)" GOPROXY="$(go env GOPROXY)" \
    GOMODCACHE="$(go env GOMODCACHE)" GOFLAGS=-mod=mod CGO_ENABLED=0 "$@"
}
bare node --version 2>/dev/null && { say "there is a node on the PATH of the test"; exit 1; }
bare mockri --version >/dev/null
cd "$elsewhere/go"
bare go mod edit -replace mockri.dev/clients/go=../mockri-go
bare go test -c -o test . || { say "the Go example does not compile without the checkout"; exit 1; }
milliseconds() { date +%s%3N; }
begun=$(milliseconds)
bare ./test || { say "the Go example failed without the checkout"; exit 1; }
go_time=$(($(milliseconds) - begun))
cd "$elsewhere/python"
begun=$(milliseconds)
bare "$python" -m pytest -q -p no:cacheprovider -k test_waits_for_a_call . || { say "the Python example failed without the checkout"; exit 1; }
python_time=$(($(milliseconds) - begun))
check_nothing_left "an example without the checkout"

(cd "$repository/clients/go" && test -z "$(gofmt -l .)" && go vet ./... && go test ./... >&2)
"$python" -m pytest -q -p no:cacheprovider "$repository/clients/python/tests" >&2
"$python" -m mypy --strict "$repository/clients/python/src" >&2
"$python" -m openapi_spec_validator "$repository/schemas/openapi.json" >&2
echo "3 examples work, with node and with npx; they and 4 tests that end badly leave nothing behind; without Node and checkout," \
  "a Go test takes $go_time ms and pytest $python_time ms"
