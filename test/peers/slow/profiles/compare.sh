#!/usr/bin/env bash
# Compares a profile with its runtime: random calls, and the outcomes of the conformance suite, check by check.
#   compare.sh PEER PROFILE    PEER is the directory with the runtime's start.sh, stop.sh and known.yaml
# SEQUENCES (50) says how many random sequences of calls are made. Skips where the runtime can't be built.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../../lib.sh"
peer=${1:?usage: compare.sh PEER PROFILE} profile=${2:?usage: compare.sh PEER PROFILE}
need jq

dir="$peers/$peer-diff"
real=$(bash "$here/../../programs/$peer/start.sh" "$dir" "${profile##*-}") || exit $?
at_exit "bash '$here/../../programs/$peer/stop.sh' '$dir'"
start_mockri --profile "$profile"
node "$repository/dist/src/cli/main.js" diff "$real" "$endpoint" --sequences "${SEQUENCES:-50}" --seed 16 --no-subscribers \
  --known "$here/../$peer/known.yaml"
bash "$here/../../programs/$peer/stop.sh" "$dir"
bash "$here/../../suites/conformance/run.sh" "as-$profile" "$profile"
