#!/usr/bin/env bash
# Runs every test against real programs: test/peers/*/run.sh, or those named. Output is kept in .ci/out/.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out="$repository/.ci/out"
mkdir -p "$out"
passed=0 failed=0 skipped=0

run_peer() {
  local name=$1 log="$out/$1.log" status=0 begin=$SECONDS
  bash "$repository/test/peers/$name/run.sh" >"$log" 2>&1 || status=$?
  local time="$((SECONDS - begin)) s"
  case $status in
    0) passed=$((passed + 1)) && echo "ok      $name ($time) $(tail -n 1 "$log")" ;;
    "$SKIPPED") skipped=$((skipped + 1)) && echo "skipped $name: $(tail -n 1 "$log" | sed 's/^skipped: //')" ;;
    *)
      failed=$((failed + 1))
      echo "FAILED  $name ($time), exit status $status, output in .ci/out/$name.log:"
      tail -n 40 "$log" | sed 's/^/    /'
      ;;
  esac
}

if [ $# -eq 0 ]; then
  for script in "$repository"/test/peers/*/run.sh; do
    # What takes too long to install runs only when it is named.
    [ -e "$(dirname "$script")/on-demand" ] || set -- "$@" "$(basename "$(dirname "$script")")"
  done
fi
for name in "$@"; do run_peer "$name"; done

summary="$passed passed, $failed failed"
[ "$skipped" = 0 ] || summary+=", $skipped skipped"
echo "$summary"
[ "$failed" = 0 ]
