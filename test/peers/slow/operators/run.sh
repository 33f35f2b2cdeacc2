#!/usr/bin/env bash
# The envtest suites of public operators on the real API server and etcd, without what they write into the statuses of pods: their
# pods run on mock nodes (clients/go/envnode). On demand: compiling them takes half an hour on two busy cores.
#   SUITES (default all): kuberay training-operator mpi-operator
#   KEEP: a directory for the changed sources and the output of the tests
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need kubernetes jq
command -v go >/dev/null || skip "no go"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
here="$repository/test/peers/slow/operators" clients="$repository/clients/go"
export KUBEBUILDER_ASSETS="$peers/bin" KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=2m MOCKRI="node $repository/dist/src/cli/main.js"
keep=${KEEP:-$scratch/keep}
mkdir -p "$keep"

# suite NAME MODULE VERSION PACKAGE EXPECTED [FLAG...]: EXPECTED is how the tests end.
suite() {
  local name=$1 module=$2 version=$3 package=$4 expected=$5 places got
  shift 5
  [[ " ${SUITES:-kuberay training-operator mpi-operator} " == *" $name "* ]] || return 0
  rm -rf "$scratch/source" "${keep:?}/$name"
  module_source "$module"
  mv "$scratch/source" "$keep/$name"
  places=$(cd "$repository" && npx tsx "$here/edit.ts" "$name" "$keep/$name")
  cd "$keep/$name"
  go mod edit -require mockri.dev/clients/go@v0.0.0 -replace "mockri.dev/clients/go=$clients" \
    -require mockri.dev/clients/go/envnode@v0.0.0 -replace "mockri.dev/clients/go/envnode=$clients/envnode"
  nice go test -mod=mod -c -o "$keep/$name.test" "$package" >&2 || { fail "$name can't be built"; return; }
  cd "$package"
  "$keep/$name.test" -test.timeout 30m "$@" >"$keep/$name.log" 2>&1 || true
  cd "$repository"
  # The last line of Ginkgo, or the results of Go's tests.
  got=$(tr -d '\0' <"$keep/$name.log" | sed 's/\x1b\[[0-9;]*m//g' | awk '
    /^(SUCCESS|FAIL)! -- / { ginkgo = $1 " " $3 " passed, " $6 " failed" }
    /^--- PASS/ { passed++ }
    /^--- FAIL/ { failed++ }
    END { print ginkgo ? ginkgo : passed + 0 " passed, " failed + 0 " failed" }')
  same "$name $version" "$expected" "$got"
  summary+=("$name $version: $got, changed in $places places")
}

summary=()
# Those that are skipped need the CRDs of schedulers, and write no status. In the one that fails, the event that is expected has a
# reason that the operator gives it only when no controller of Jobs runs.
suite mpi-operator github.com/kubeflow/mpi-operator v0.6.0 ./test/integration '4 passed, 1 failed' \
  -test.v -test.skip 'SchedulerPlugins|Volcano'
[ ! -f "$keep/mpi-operator.log" ] || holds "the reason of the event" grep -q "reason: 'BackoffLimitExceeded/'" "$keep/mpi-operator.log"
suite training-operator github.com/kubeflow/training-operator v1.9.3 ./pkg/controller.v1/pytorch 'SUCCESS! 7 passed, 0 failed' -test.run TestAPIs
suite kuberay github.com/ray-project/kuberay/ray-operator v1.4.2 ./controllers/ray 'SUCCESS! 156 passed, 0 failed'
printf '%s\n' "${summary[@]}"
