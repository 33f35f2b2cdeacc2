#!/usr/bin/env bash
# Builds e2e_node.test with clients/go/criproxy in the place of the proxy that comes with it. The tests are
# unchanged but for that import. The changed files lie over those of the module in a mount namespace, so that all else of Kubernetes is
# compiled already where e2e_node.test was built before.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
made="$peers/bin/.e2e_node-criproxy.test.made"
# What the program is made of: to link it again takes a minute.
of=$(cd "$repository" && { version_of kubernetes; find clients/go -name '*.go' -o -name go.mod | sort | xargs cat; } | sha256sum)
if [ -x "$peers/bin/e2e_node-criproxy.test" ] && [ "$(cat "$made" 2>/dev/null)" = "$of" ]; then exit; fi
[ "${1:-}" = --in-namespace ] || { unshare --mount "$0" --in-namespace; exit; }
command -v go >/dev/null || skip "go is needed to build the tests"
need jq
tests="$peers/bin/e2e_node-criproxy.test" original=k8s.io/kubernetes/test/e2e_node/criproxy module=mockri.dev/clients/go
source_dir=$(cd "$here/build" && go mod download -json k8s.io/kubernetes | jq -r .Dir)
mkdir "$scratch/edited"
for file in $(grep -lF "\"$original\"" "$source_dir"/test/e2e_node/*.go); do
  sed "s|\"$original\"|\"$module/criproxy\"|" "$file" >"$scratch/edited/${file##*/}"
  mount --bind "$scratch/edited/${file##*/}" "$file"
  at_exit "umount '$file'"
done
cp "$here/build/go.mod" "$scratch/go.mod" && cp "$here/build/go.sum" "$scratch/go.sum"
go mod edit -require "$module@v0.0.0" -replace "$module=$repository/clients/go" "$scratch/go.mod"
# Without goindex=0 Go would take the imports of a module's files from its cache.
(cd "$here/build" && GODEBUG=goindex=0 nice go test -vet=off -modfile "$scratch/go.mod" -c -o "$tests" k8s.io/kubernetes/test/e2e_node) >&2
echo "$of" >"$made"
