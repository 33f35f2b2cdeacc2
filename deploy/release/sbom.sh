#!/usr/bin/env bash
# Prints the software bill of materials (SPDX) of a release: all that is installed with the package, all that is bundled in
# it, and dockerode, which the executables and the image contain.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# `npm sbom --omit dev` leaves out what both the program and a tool need. So the tools leave the manifest first.
cp "$root/package-lock.json" "$work"
bundled=$(sed -nE 's/^(@?[a-z0-9./-]+) ([0-9]+\.[0-9]+\.[0-9]+)$/\1/p' "$root"/dist/src/{cli,tape/viewer}/licenses.txt)
node - "$root/package.json" "$work/package.json" $bundled <<'J'
const { readFileSync, writeFileSync } = require('node:fs');
const [from, to, ...bundled] = process.argv.slice(2);
const { devDependencies: tools, peerDependencies, peerDependenciesMeta, scripts, ...manifest } = JSON.parse(readFileSync(from));
Object.assign(manifest.dependencies, peerDependencies);
for (const name of bundled) if (name in tools) manifest.dependencies[name] = tools[name];
writeFileSync(to, JSON.stringify(manifest));
J
cd "$work"
npm install --silent --package-lock-only --ignore-scripts --no-audit --no-fund >&2
# Optional dependencies are native parts, which nothing contains.
npm sbom --sbom-format spdx --sbom-type application --package-lock-only --omit optional >sbom.json
# Some manifests have the list "licenses" of old, which npm does not read.
node - "$root/node_modules" <<'J'
const { readFileSync } = require('node:fs');
const modules = process.argv[2];
const sbom = JSON.parse(readFileSync('sbom.json'));
for (const entry of sbom.packages.filter(({ licenseDeclared }) => licenseDeclared === 'NOASSERTION')) {
  const { licenses = [] } = JSON.parse(readFileSync(`${modules}/${entry.name}/package.json`));
  if (licenses.length > 0) entry.licenseDeclared = licenses.map(({ type }) => type).join(' OR ');
}
console.log(JSON.stringify(sbom, null, 2));
J
