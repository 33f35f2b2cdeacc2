#!/usr/bin/env bash
# Programs on virtual time: a small one that does whatever may differ from run to run prints the same 20 times, and ten
# hours pass at once. A kubelet that was built does the same each time.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"

here="$repository/test/peers/suites/virtual-time"
command -v go >/dev/null || skip "no go"

# The program, by the installed Go.
cp -r "$repository/test/peers/programs/virtual-time" "$scratch/source"
(cd "$scratch/source" && go mod edit -go="$(go env GOVERSION | sed 's/^go//; s/-.*//')")
mockri kubelet-build --source "$scratch/source" --program ./several --out "$scratch/several" >/dev/null
several() { node --import tsx "$here/run-program.ts" "$scratch/several" "$@" 2>"$scratch/questions"; }
holds "without MOCKRI_TIME the clock is the ordinary one" grep -q "start $(date -u +%Y)" <<<"$(timeout 2 "$scratch/several" || true)"
first=$(several)
holds "ten hours pass" grep -q "^11h30m7.*s ten hours$" <<<"$first"
holds "each reading of the clock is later" grep -q "two readings differ true true$" <<<"$first"
holds "no timer is early" test -z "$(grep "a timer was early" <<<"$first")"
for _ in $(seq 19); do same "what the program prints" "$first" "$(several)"; done
same "a program that moves its clock by itself prints the same" "$first" "$(several 1 3600000000000)"
holds "and asks less" test "$(cut -d' ' -f1 "$scratch/questions")" -lt 100
holds "another seed is another order" test "$first" != "$(several 2)"

# Without a controller it says so.
ends() { MOCKRI_TIME=1 "$scratch/several" 2>&1 3<&- 4>&- || echo "exit code $?"; }
same "no controller" 'virtual time: MOCKRI_TIME is set, but nothing is open at descriptor 3 (answers) or 4 (questions)
exit code 3' "$(ends)"

# The kubelet, if it was built, which takes ten minutes: calls, rows and events are the same each time, except for the
# order within an instant, and SIGKILL leaves nothing.
version=1.37.2
in_any_order() { happenings "$1" "$version" | sort; }
if mockri kubelet-build --list | grep -q "^kubelet  *$version .* yes "; then
  for scenario in crash-loop-back-off liveness-crash-loop; do
    in_any_order "$scenario" >"$scratch/first"
    holds "$scenario has restarts" grep -q "row .* 2$" "$scratch/first"
    for _ in 1 2; do holds "$scenario again" diff "$scratch/first" <(in_any_order "$scenario"); done
  done
  # Fields of all kinds: what the API server would complete is complete, and the pods do as on the thin kubelet.
  events() { mockri simulate "$here/fields.yaml" --seed 1 --output events "$@" | awk '$4 != "POD" {print $4, $2, $3}' | sort -u; }
  mkdir "$scratch/bin"
  printf '#!/bin/sh\necho "$@" >>"%s"\nexec %s "$@"\n' "$scratch/umounts" "$(command -v umount)" >"$scratch/bin/umount"
  chmod +x "$scratch/bin/umount"
  PATH="$scratch/bin:$PATH" events --kubelet "$version" >"$scratch/fields"
  holds "fields of all kinds" diff <(events) "$scratch/fields"
  # The names of its temporary directories come from its seed: in a directory that it shares they would be taken at times.
  same "where its temporary directories are" /var/lib/kubelet/tmp \
    "$(sed -n 's|^\(/.*\)/kubelet-detect-safe-umount.*|\1|p' "$scratch/umounts" | sort -u)"
  holds "their volumes are mounted" grep -q "^volumes Normal Started" "$scratch/fields"
  # The suites, on the program: what it does not meet is known.
  unmet() { mockri suite "$1" --kubelet "$version" --json 2>/dev/null | jq -r '[.criteria[] | select(.met | not) | .scenario] | join(" ")'; }
  same "criteria of EventedPLEG" "init-container.yaml relists-less.yaml runtime-restarts.yaml" "$(unmet evented-pleg)"
  same "criteria of CRI metrics" "containerd-2.3.yaml containerd-2.4.yaml cri-o-1.36.yaml" "$(unmet cri-metrics)"
  for suite in stream-lists runtime-config; do same "criteria of $suite" "" "$(unmet "$suite")"; done
  # The files of what explore finds on the program show the program, and the command runs it.
  node --import tsx "$here/write-finding.ts" "$here/unmet.yaml" "$version" "$scratch/found" >"$scratch/found.json"
  found() { jq -r ".$1" "$scratch/found.json"; }
  holds "the tape of a finding has the log of the program" grep -q "Started kubelet" <(mockri tape show "$(found tape)")
  status=0
  (cd "$repository" && eval "$(found replay)") >/dev/null 2>&1 || status=$?
  same "the command of a finding shows it again" 1 "$status"
  same "and names the program" "--kubelet $version" "$(found replay | grep -o -e "--kubelet [^ ]*")"
  # Other seeds are other runs of the same scenario.
  seeds() { mockri explore oom-loop --kubelet "$version" --only seed --budget 2 --workers 0 --out "$scratch/seeds" --json 2>/dev/null; }
  same "schedules with another seed" 2 "$(seeds | jq .schedules)"
  TMPDIR=$scratch node "$repository/dist/src/cli/main.js" simulate runtime-hang --kubelet "$version" >/dev/null 2>&1 &
  mock=$!
  await 20 sh -c "ls '$scratch'/mockri-kubelet-*/kubelet.log"
  kill -9 "$mock"
  holds "nothing is left after SIGKILL" await 20 sh -c "! ls -d '$scratch'/mockri-kubelet-* && ! grep -q '$scratch/mockri-kubelet-' /proc/mounts"
else
  say "kubelet $version is not built: run mockri kubelet-build --version $version"
fi

echo "$checks checks"
