// Compiles src/ and adapters/ into dist/.
//
// The new build replaces the old one by a rename, so that a command started at any time finds a whole build, and an
// interrupted build leaves the old one in place.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('.', import.meta.url)));
// `npx mockri` in a checkout runs the `prepare` script first. It must not build what `npm ci` has built.
if (process.env.npm_command === 'exec' && existsSync('dist/src/cli/main.js')) process.exit(0);

const staging = `.build/${process.pid}`;
const [fresh, replaced] = [`${staging}/new`, `${staging}/old`];
const cleanUp = () => rmSync(staging, { recursive: true, force: true });
process.on('exit', cleanUp);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const compiler = 'node_modules/typescript/bin/tsc';
const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
chmodSync(`${fresh}/src/cli/main.js`, 0o755);
replace('dist', fresh, replaced);

/** Renames a directory into place. Another build may do the same at this moment: the last one wins. */
function replace(target, source, old) {
  for (;;) {
    try {
      return renameSync(source, target);
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    }
    rmSync(old, { recursive: true, force: true });
    try {
      renameSync(target, old);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}
