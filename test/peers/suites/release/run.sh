#!/usr/bin/env bash
# Tries the release as far as it needs no account: workflows, package, notes and SBOM; and the action, in a project that has no
# checkout.
# uses: executable
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need actionlint crictl jq
cd "$repository"
[ -f dist/src/cli/main.js ] || npm run --silent build >&2
actionlint -shellcheck= .github/workflows/*.yml >&2
# A tag can move to another commit. Users pin this action as they want.
grep -hE '^ *(- )?uses:' .github/workflows/*.yml action.yml | grep -vE '@[0-9a-f]{40} # v[0-9]+\.[0-9]+\.[0-9]+$' &&
  { say "these actions are not pinned by their commit"; exit 1; }

version=$(jq -r .version package.json)
bash deploy/release/prepare.sh v9.9.9 "$scratch/wrong" 2>"$scratch/refused" && { say "a wrong tag was accepted"; exit 1; }
grep -q "the tag is v9.9.9, and package.json has version $version" "$scratch/refused"
bash deploy/release/prepare.sh "v$version" "$scratch/out"
npm publish --dry-run --ignore-scripts --tag next "$scratch/out/mockri-$version.tgz" >"$scratch/publish" 2>&1 ||
  { cat "$scratch/publish" >&2; exit 1; }

# The SBOM has all that npm installs with the package and all that is bundled in it, each with a licence.
sbom="$scratch/out/mockri-$version.spdx.json"
mkdir "$scratch/installed"
npm install --silent --no-audit --no-fund --prefix "$scratch/installed" "$scratch/out/mockri-$version.tgz" >&2
jq -r '.packages | keys[] | select(. != "") | sub(".*node_modules/"; "")' "$scratch/installed/node_modules/.package-lock.json" >"$scratch/names"
sed -nE 's/^(@?[a-z0-9./-]+) [0-9]+\.[0-9]+\.[0-9]+$/\1/p' dist/src/{cli,tape/viewer}/licenses.txt >>"$scratch/names"
node -p "$(cat <<'J'
const { packages } = require('./package-lock.json');
const found = new Set();
const collect = (name) => {
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined || found.has(name)) return;
  found.add(name);
  Object.keys(entry.dependencies ?? {}).forEach(collect);
};
collect('dockerode');
[...found].join('\n');
J
)" >>"$scratch/names"
jq -r '.packages[].name' "$sbom" | sort -u >"$scratch/listed"
missing=$(sort -u "$scratch/names" | comm -23 - "$scratch/listed")
[ -z "$missing" ] || { say "not in the SBOM: $missing"; exit 1; }
[ "$(wc -l <"$scratch/listed")" -gt 40 ] || { say "the SBOM has only $(wc -l <"$scratch/listed") packages"; exit 1; }
unlicensed=$(jq -r '.packages[] | select((.licenseDeclared // "NOASSERTION") == "NOASSERTION") | .name' "$sbom")
[ -z "$unlicensed" ] || { say "without a licence: $unlicensed"; exit 1; }

# SECURITY.md names the packages without a recent release, and no others.
stale=$(sed -n '/^### Packages without/,$ p' SECURITY.md | grep '^|' | cut -d '|' -f 3 | grep -o '`[^`]*`' | tr -d '`' | sort | comm -23 - "$scratch/listed")
[ -z "$stale" ] || { say "in SECURITY.md, but not in the SBOM: $stale"; exit 1; }

# The action's own steps, as a runner runs them.
mkdir "$scratch/project" "$scratch/runner"
step() {
  node -e "
    const { parse } = require('yaml');
    const { runs } = parse(require('fs').readFileSync('action.yml', 'utf8'));
    console.log(runs.steps[$1].run);"
}
start=$(step 0) stop=$(step 2)
export GITHUB_ACTION_PATH=$repository GITHUB_OUTPUT=$scratch/output GITHUB_ENV=$scratch/env RUNNER_TEMP=$scratch/runner
cd "$scratch/project"
INPUT_VERSION="$scratch/out/mockri-$version.tgz" INPUT_ARGUMENTS='--profile containerd-2.4' INPUT_RECORD=true bash -euo pipefail -c "$start" >&2
output() { sed -n "s/^$1=//p" "$GITHUB_OUTPUT"; }
at_exit "kill $(output pid) 2>/dev/null"
# shellcheck disable=SC1091
source "$GITHUB_ENV"
export CONTAINER_RUNTIME_ENDPOINT IMAGE_SERVICE_ENDPOINT
crictl version | grep 'RuntimeName:  containerd' >/dev/null
curl -sf "$(output control)/healthz" >/dev/null
directory=$(output directory)
DIRECTORY=$directory SERVER_PID=$(output pid) bash -euo pipefail -c "$stop" >&2
kill -0 "$(output pid)" 2>/dev/null && { say "the server still runs"; exit 1; }
for file in mockri.log run.tape.gz timeline.html; do [ -e "$directory/$file" ] || { say "no $file"; exit 1; }; done
INPUT_VERSION="$scratch/out/mockri-$version.tgz" INPUT_ARGUMENTS='--profile nothing' INPUT_RECORD=true bash -euo pipefail -c "$start" >"$scratch/error" 2>&1 &&
  { say "a wrong argument was accepted"; exit 1; }
grep -q '^::error title=Mockri::.*nothing' "$scratch/error" || { cat "$scratch/error" >&2; exit 1; }
echo "workflows, package and action work; the SBOM has $(wc -l <"$scratch/listed") packages, each with a licence"
