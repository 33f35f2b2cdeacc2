#!/usr/bin/env bash
# Uses the packed package as a user who has no checkout: npx in an empty directory, and a program in TypeScript.
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
need crictl jq
here="$repository/test/peers/suites/package"
[ -f "$repository/dist/src/cli/main.js" ] || (cd "$repository" && npm run --silent build >&2)
tarball="$scratch/$(cd "$repository" && npm pack --silent --ignore-scripts --pack-destination "$scratch")"
version=$(jq -r .version "$repository/package.json")

# A registry that has the package; all others come from the one that npm is configured for.
node "$here/registry.mjs" "$tarball" "$(npm config get registry)" >"$scratch/registry" &
registry=$!
at_exit "kill $registry"
await 10 test -s "$scratch/registry"
mkdir "$scratch/home" "$scratch/empty" "$scratch/program"
export npm_config_registry npm_config_cache="$scratch/cache" npm_config_update_notifier=false npm_config_audit=false \
  npm_config_fund=false HOME="$scratch/home"
npm_config_registry=$(cat "$scratch/registry")

# npx in an empty directory: at first with an installation, then from the cache.
cd "$scratch/empty"
fresh() { npx --yes "mockri@$version" "$@"; }
[ "$(fresh --version)" = "$version" ] || { say "npx mockri@$version does not run"; exit 1; }
milliseconds() { date +%s%3N; }
begun=$(milliseconds)
fresh serve --listen "unix://$scratch/cri.sock" --control off --exit-with-stdin < <(sleep 600) >"$scratch/ready" 2>"$scratch/log" &
npx=$!
at_exit "kill \$(jq .pid $scratch/ready) 2>/dev/null"
await 30 test -s "$scratch/ready" || { cat "$scratch/log" >&2; exit 1; }
ready=$(($(milliseconds) - begun))
crictl -r "unix://$scratch/cri.sock" version | grep "RuntimeVersion:  $version" >/dev/null
kill "$(jq .pid "$scratch/ready")"
wait $npx || { cat "$scratch/log" >&2; exit 1; }
[ -z "$(ls -A)" ] || { say "npx left in the directory: $(ls -A)"; exit 1; }

# Only what the program needs is installed: nothing that compiles, nothing for one platform.
installed=$(find "$npm_config_cache"/_npx -name package.json -path '*/node_modules/*' -not -path '*/mockri/*' \
  -execdir jq -r 'select(.name and .version) | .name' {} + | sort -u)
for unwanted in typescript vitest rolldown dockerode ssh2 esbuild; do
  grep -qx "$unwanted" <<<"$installed" && { say "$unwanted is installed with the package"; exit 1; }
done
find "$npm_config_cache/_npx" -name '*.node' | grep . && { say "these are native parts"; exit 1; }

# A strict program compiles against the installed package, with the types of all packages checked too, and runs.
cd "$scratch/program"
cp "$here/consumer.ts" .
echo '{"type": "module", "private": true}' >package.json
compiler=$(jq -r .devDependencies.typescript "$repository/package.json")
npm install --silent "mockri@$version" "typescript@$compiler" "@types/node@20" >&2
cat >tsconfig.json <<'J'
{
  "compilerOptions": {
    "target": "ES2022", "lib": ["ES2023", "ESNext.Disposable"], "module": "NodeNext", "types": ["node"],
    "strict": true, "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "skipLibCheck": false
  }
}
J
npx tsc || { say "the program does not compile"; exit 1; }
ran=$(node -e "import('./consumer.js').then(async ({ scenarios }) => console.log((await scenarios('node_modules/mockri/scenarios/oom-loop.yaml')).length))")
[ "$ran" = 1 ] || { say "the program printed: $ran"; exit 1; }
echo "npx mockri@$version was ready after $ready ms; a program in TypeScript compiles and runs; $(wc -l <<<"$installed") packages"
