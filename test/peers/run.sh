#!/usr/bin/env bash
# Runs the tests against real programs, all of suites/ or those named, of slow/ too: run.sh [NAME...]. Output is kept in
# .ci/out/. How real programs are installed and started is in programs/.
# AT_A_TIME (default 2) of them run at once, as most of them mostly wait. A script's line `# uses: WORD...` names what only
# one of them may use at a time; `# needs: registry` has the registry of containerd run beside it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

out="$repository/.ci/out"
mkdir -p "$out"
declare -A name_of=() begin_of=()
passed=0 skipped=0 failed=()

# script_of NAME: what takes too long to install or to run is in slow/, and runs only when it is named.
script_of() {
  local script="$repository/test/peers/suites/$1/run.sh"
  [ -f "$script" ] || script="$repository/test/peers/slow/$1/run.sh"
  echo "$script"
}

# all: of the suites, the longest first.
all() {
  local longest=(docker conformance cluster)
  echo "${longest[@]}"
  (cd "$repository/test/peers/suites" && printf '%s\n' *) | grep -vxF "$(printf '%s\n' "${longest[@]}")"
}

# may_run NAME: whether nothing that it uses is in use.
may_run() {
  local pid word uses
  uses=$(sed -n 's/^# uses: //p' "$(script_of "$1")")
  for pid in "${!name_of[@]}"; do
    for word in $(sed -n 's/^# uses: //p' "$(script_of "${name_of[$pid]}")"); do
      [[ " $uses " != *" $word "* ]] || return 1
    done
  done
}

begin() {
  bash "$(script_of "$1")" >"$out/$1.log" 2>&1 </dev/null &
  name_of[$!]=$1 begin_of[$!]=$SECONDS
}

# finish: waits for one that runs, and says how it ended.
finish() {
  local pid status=0 name time
  wait -n -p pid "${!name_of[@]}" || status=$?
  name=${name_of[$pid]} time="$((SECONDS - begin_of[$pid])) s"
  unset "name_of[$pid]"
  case $status in
    0) passed=$((passed + 1)) && echo "ok      $name ($time) $(tail -n 1 "$out/$name.log")" ;;
    "$SKIPPED") skipped=$((skipped + 1)) && echo "skipped $name: $(tail -n 1 "$out/$name.log" | sed 's/^skipped: //')" ;;
    *) failed+=("$name") && echo "FAILED  $name ($time), exit status $status" ;;
  esac
}

# None of those that run at once may take the registry away from another. Without it each says what it lacks.
share_registry() {
  local dir="$peers/registry"
  mkdir -p "$dir"
  at_exit "bash '$repository/test/peers/programs/containerd/stop.sh' '$dir'"
  bash "$repository/test/peers/programs/containerd/registry.sh" "$dir" >"$out/registry.log" 2>&1 || tail -n 20 "$out/registry.log" >&2
}

# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- $(all)
for name in "$@"; do [ -f "$(script_of "$name")" ] || { say "there is no $(script_of "$name")" && exit 2; }; done
scripts=() waiting=("$@")
for name in "$@"; do scripts+=("$(script_of "$name")"); done
node "$repository/build.mjs" --if-changed >&2
if grep -q '^# needs: registry$' "${scripts[@]}"; then share_registry; fi
# One that is interrupted takes what it has started away.
at_exit 'kill "${!name_of[@]}" 2>/dev/null && wait'

while [ ${#waiting[@]} -gt 0 ] || [ ${#name_of[@]} -gt 0 ]; do
  later=()
  for name in "${waiting[@]}"; do
    if [ ${#name_of[@]} -lt "${AT_A_TIME:-2}" ] && may_run "$name"; then begin "$name"; else later+=("$name"); fi
  done
  waiting=("${later[@]}")
  finish
done

for name in "${failed[@]}"; do
  echo "FAILED  $name, output in .ci/out/$name.log:"
  tail -n 100 "$out/$name.log" | sed 's/^/    /'
done
# Whoever sees only the end of a long output sees what failed.
for name in "${failed[@]}"; do grep -H '^FAILED' "$out/$name.log" | sed "s|^$out/||" || true; done
[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$passed passed, ${#failed[@]} failed"
[ ${#failed[@]} = 0 ]
