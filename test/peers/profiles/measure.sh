#!/usr/bin/env bash
# All that a new version of a runtime takes, from its build to a report of what its profile has otherwise:
#   measure.sh containerd VERSION
# It pins the version in versions.yaml, builds and starts it with its files in memory, measures answers and times
# (test/oracle/profiles, src/runtime/profiles/*/latency-*.json), and compares the profile of its series with it, or the newest one where
# there is none yet: the conformance suite check by check, SEQUENCES (100) random sequences from SEED (1) with shrinking, and
# critest spec by spec (CRITEST=no leaves it out, as it takes half an hour). The report is .ci/out/measure-NAME.md.
# Needs root, Go, and a machine that has nothing else to do.
# needs: registry
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../lib.sh"
source "$here/../programs/in-memory.sh"
usage='usage: measure.sh containerd VERSION'
runtime=${1:?$usage} version=v${2#v}
[[ $runtime = containerd && $version =~ ^v2\.[0-9]+\.[0-9]+$ ]] || { say "given $*; $usage, such as containerd v2.4.2"; exit 2; }
[ "$(id -u)" = 0 ] || skip 'a runtime needs root'
need jq busybox
series=${version#v} && series=${series%.*}
name="$runtime-$series"
out="$repository/.ci/out" && mkdir -p "$out"
report="$out/measure-$name.md"
cd "$repository"
began=$SECONDS

# step TITLE COMMAND...: its output is in the report, and so is its time; one that fails does not end the rest.
step() {
  local title=$1 start=$SECONDS status=0
  shift
  say "$title ..."
  "$@" >"$scratch/step" 2>&1 || status=$?
  { printf '\n## %s (%d s, exit status %d)\n\n```\n' "$title" $((SECONDS - start)) "$status" && tail -n 300 "$scratch/step" && echo '```'; } >>"$report"
}

pin() {
  local file="$here/../versions.yaml"
  if [ -z "$(version_of "$name")" ]; then
    printf '  - program: %s\n    version: %s\n    module: %s\n    measured: profile\n    date: %s\n    run: [%s]\n' "$name" "$version" \
      github.com/containerd/containerd/v2 "$(date -u +%F)" 'bash test/peers/profiles/measure.sh containerd VERSION' >>"$file"
  fi
  sed -i "/program: $name\$/,/date:/{s/version: .*/version: $version/; s/date: .*/date: $(date -u +%F)/}" "$file"
  version_of "$name"
}

# Answers of the runtime beside those that the profile had before.
answers() {
  local before="$scratch/before.json" data="test/oracle/profiles/$name.json"
  cp "$data" "$before" 2>/dev/null || cp "test/oracle/profiles/$profile.json" "$before"
  MOCKRI_TARGET="$endpoint" ROUNDS="${ROUNDS:-20}" nice -n -19 bash "$here/../slow/profiles/run.sh" "$name" || return
  diff <(jq -S '.identity, .answers' "$before") <(jq -S '.identity, .answers' "$data") || true
}

differences() {
  start_mockri --profile "$profile"
  node dist/src/cli/main.js diff "$real" "$endpoint" --sequences "${SEQUENCES:-100}" --seed "${SEED:-1}" \
    --known "$here/../programs/$runtime/known.yaml"
}

echo "# $runtime $version, $(date -u +%F)" >"$report"
step pin pin
step build bash "$here/../programs/$runtime/fetch.sh" "$series"
profile=$name
[ -e "src/runtime/profiles/$runtime/$name.ts" ] || profile=$(ls src/runtime/profiles/$runtime/$runtime-[0-9]*.ts | sed 's/.*\///; s/\.ts$//' | sort -V | tail -n 1)
node build.mjs --if-changed >&2

# Times are those of the runtime, not of a disk or of other work.
start_in_memory "$runtime" "$series"
real=$endpoint
renice -n -20 -p "$(<"$runtime_dir/$runtime.pid")" >/dev/null || true
step 'answers and times' answers
step "random sequences, $profile" differences
stop_in_memory "$runtime" "$runtime_dir"
step "conformance, $profile" env CI=true bash "$here/../suites/conformance/run.sh" "as-$profile" "$name"
[ "${CRITEST:-}" = no ] || step "critest, $profile" bash "$here/../slow/profile-critest/run.sh" "$series"
printf '\n%d minutes in all\n' $(((SECONDS - began) / 60)) >>"$report"
echo "$((((SECONDS - began) / 60))) minutes; the report is ${report#"$repository"/}"
