#!/usr/bin/env bash
# The incidents E1 to E15 and those of EventedPLEG on each real kubelet that mockri kubelet-build has built: what the scenario
# expects of a version holds on this version. Prints a table of which variants hold on which kubelet: an incident that a
# release has mended holds only on those before.
#   OUT: a file for the table; SCENARIOS: names, all by default
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
cd "$repository"
[ -n "$(mockri kubelet-build --list | grep '^kubelet .* yes ')" ] || skip "no kubelet is built: mockri kubelet-build --version 1.37.2"
out=${OUT:-$scratch/table.md}
status=0
# shellcheck disable=SC2086
npx tsx test/peers/slow/incidents/main.ts "$out" ${SCENARIOS:-} || status=$?
cat "$out"
exit "$status"
