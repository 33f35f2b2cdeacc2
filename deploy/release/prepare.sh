#!/usr/bin/env bash
# prepare.sh TAG DIRECTORY: makes what a release of this tag publishes: package, SBOM and notes. Refuses a tag that is not
# the version of package.json, or that CHANGELOG.md does not describe.
set -euo pipefail
tag=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$(node -p "require('./package.json').version")
[ "$tag" = "v$version" ] || { echo "the tag is $tag, and package.json has version $version" >&2; exit 1; }
awk -v heading="## [$version]" 'index($0, "## ") == 1 { on = index($0, heading) == 1; next } on' CHANGELOG.md >"$out/notes.md"
grep -q '[^[:space:]]' "$out/notes.md" || { echo "CHANGELOG.md says nothing of $version" >&2; exit 1; }
npm pack --silent --ignore-scripts --pack-destination "$out"
bash deploy/release/sbom.sh >"$out/mockri-$version.spdx.json"
