#!/usr/bin/env bash
# image-clients.sh IMAGE: the examples of docs/testing.md in Go and Java, the Python client and nodes for envtest in containers of
# the image, and what a killed test leaves behind. Needs DOCKER_HOST.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
export MOCKRI_IMAGE=${1:?usage: image-clients.sh IMAGE}
for program in go python3; do command -v $program >/dev/null || skip "no $program"; done
testing="$repository/test/peers/suites/testing"
servers() { docker ps --quiet --filter "name=^mockri-[0-9a-f]{12}$" --filter "ancestor=$MOCKRI_IMAGE"; }
none_left() { [ -z "$(servers)" ]; }

(cd "$testing/go" && go test -count=1 ./...) || { say "the Go example failed"; exit 1; }
python3 -m venv "$scratch/venv" && "$scratch/venv/bin/python" -m pip install --quiet "$repository/clients/python" >&2 || skip "no pip"
# Not the example, whose client is crictl, which supports only unix sockets.
"$scratch/venv/bin/python" -c 'import mockri
with mockri.start() as server:
    assert server.endpoint.startswith("tcp://"), server.endpoint
    assert server.fault("Version=1*error(UNAVAILABLE)").left == 1' || { say "the Python client failed"; exit 1; }
within 30 "nothing is left of the examples" none_left

# Nodes reach the API server of a test on the network of this machine.
need kubernetes
(cd "$repository/clients/go/envnode/examples" && KUBEBUILDER_ASSETS="$peers/bin" go test -count=1 -run TestThePodFails .) ||
  { say "nodes in a container failed"; exit 1; }

(cd "$testing/go" && go test -tags orphan -c -o "$scratch/orphan" .)
"$scratch/orphan" -test.run TestEndsBadly >"$scratch/killed" 2>&1 &
killed=$!
await 60 grep -q started "$scratch/killed" || { cat "$scratch/killed" >&2; exit 1; }
holds "a server runs during the test" test -n "$(servers)"
kill -KILL $killed
within 30 "nothing is left of a killed test" none_left

# Testcontainers removes its containers itself; the image of its helper is only in a registry.
if command -v mvn >/dev/null; then
  cp -r "$testing/java" "$scratch/java"
  (cd "$scratch/java" && TESTCONTAINERS_RYUK_DISABLED=true mvn -q -B test) >"$scratch/maven" 2>&1 &&
    grep -q 'tests="1"' "$scratch"/java/target/surefire-reports/*.xml || { tail -n 40 "$scratch/maven" >&2; say "the Java example failed"; exit 1; }
elif [ "${CI:-}" = true ]; then
  say "no mvn for the Java example"
  exit 1
else
  say "the Java example is not run: no mvn"
fi
[ "$failures" = 0 ] || exit 1
echo "the clients use servers in containers, and leave none behind"
