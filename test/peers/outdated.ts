import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { type Pin, pins } from '../support/versions.js';

/**
 * `npm run outdated:peers`: asks the Go module proxy for versions newer than those of versions.yaml, and prints a
 * command for each. Exits with 1 if there is one, or if a request failed. Skips Debian packages, whose suites have one
 * version only.
 */

const RELEASE = /^v(\d+)\.(\d+)\.(\d+)$/;

const numbersOf = (version: string): number[] => (RELEASE.exec(version) ?? []).slice(1).map(Number);

function isNewer(version: string, than: string): boolean {
  const [left, right] = [numbersOf(version), numbersOf(than)];
  const index = left.findIndex((number, at) => number !== right[at]);
  return index >= 0 && (left[index] ?? 0) > (right[index] ?? 0);
}

const seriesOf = (version: string): string => numbersOf(version).slice(0, 2).join('.');

/** Releases of a module, the newest last; undefined if the proxy does not list them. */
function releasesOf(module: string): string[] | undefined {
  const list = ['list', '-m', '-versions', module];
  const { status, stdout: text } = spawnSync('go', list, { cwd: tmpdir(), encoding: 'utf8' });
  if (status !== 0) return undefined;
  const versions = text.trim().split(' ').slice(1);
  return versions.filter((version) => RELEASE.test(version)).sort((a, b) => (isNewer(a, b) ? 1 : -1));
}

/** The newest of the pin's series, and the newest of all if no other pin has its series. */
function newerThan(pin: Pin, releases: readonly string[]): string[] {
  const inSeries = releases.filter((version) => seriesOf(version) === seriesOf(pin.version)).at(-1);
  const others = pins.filter(({ module }) => module === pin.module).map(({ version }) => seriesOf(version));
  const last = releases.filter((version) => !others.includes(seriesOf(version))).at(-1);
  const isNewest = pins.every((one) => one.module !== pin.module || !isNewer(one.version, pin.version));
  return [inSeries, isNewest ? last : undefined].flatMap((version) =>
    version !== undefined && isNewer(version, pin.version) ? [version] : [],
  );
}

let outdated = 0;
const unlisted = new Set<string>();
for (const pin of pins) {
  if (pin.module === undefined) continue;
  const releases = releasesOf(pin.module);
  if (releases === undefined) unlisted.add(pin.module);
  for (const version of newerThan(pin, releases ?? [])) {
    outdated++;
    console.log(`${pin.program}: ${pin.version} is pinned, ${version} is out`);
    for (const command of pin.run) console.log(`    ${command.replace('VERSION', version)}`);
  }
}
for (const module of unlisted)
  console.log(`The module proxy does not list the versions of ${module}: see its repository.`);
console.log(outdated === 0 ? 'All other pins are the newest.' : `${outdated} newer versions`);
process.exitCode = outdated + unlisted.size === 0 ? 0 : 1;
