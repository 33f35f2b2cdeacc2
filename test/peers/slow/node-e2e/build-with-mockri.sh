#!/usr/bin/env bash
# Builds e2e_node.test with clients/go/criproxy in the place of the proxy that comes with it, and prints its path. The tests are
# unchanged. Ten minutes, as all of Kubernetes is compiled at another path.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
command -v go >/dev/null || skip "go is needed to build the tests"
need jq
source_dir="$peers/e2e-node-criproxy/kubernetes" tests="$peers/bin/e2e_node-criproxy.test"
module=$(cd "$here/build" && go mod download -json k8s.io/kubernetes | jq -r .Dir)
if [ ! -d "$source_dir" ]; then
  mkdir -p "${source_dir%/*}"
  cp -r "$module" "$source_dir.part" && chmod -R u+w "$source_dir.part" && mv "$source_dir.part" "$source_dir"
fi
rm -f "$source_dir"/test/e2e_node/criproxy/*.go
for file in "$repository"/clients/go/criproxy/*.go; do
  case $file in *_test.go) ;; *) cp "$file" "$source_dir/test/e2e_node/criproxy/" ;; esac
done
cp "$here/build/go.mod" "$scratch/go.mod" && cp "$here/build/go.sum" "$scratch/go.sum"
go mod edit -replace "k8s.io/kubernetes=$source_dir" "$scratch/go.mod"
(cd "$here/build" && nice go test -modfile "$scratch/go.mod" -c -o "$tests" k8s.io/kubernetes/test/e2e_node) >&2
echo "$tests"
