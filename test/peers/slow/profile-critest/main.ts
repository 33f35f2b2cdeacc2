import { basename } from 'node:path';
import { readExpected, readReport } from '../../suites/critest/report.js';

/**
 * main.ts DIFFERENCES REAL OURS: compares critest's reports on a runtime and on its profile, spec by spec. Exits with 1
 * if a spec has a different result that is not listed with a reason.
 */

const [listPath = '', realPath = '', oursPath = ''] = process.argv.slice(2);
const reasons = readExpected(listPath);
const real = new Map(readReport(realPath).map((result) => [result.name, result]));
const ours = new Map(readReport(oursPath).map((result) => [result.name, result]));

let listed = 0;
let unlisted = 0;
const names = new Set([...real.keys(), ...ours.keys()]);
for (const name of names) {
  const [expected, got] = [real.get(name), ours.get(name)];
  if (expected?.state === got?.state) continue;
  if (reasons.has(name)) {
    listed++;
    continue;
  }
  unlisted++;
  console.error(`${name}\n  runtime: ${shown(expected)}\n  profile: ${shown(got)}`);
}
console.log(
  `${basename(realPath, '.json')}: ${names.size - listed - unlisted} of ${names.size} specs end as on the runtime, ` +
    `${listed} do not for a listed reason, ${unlisted} without one`,
);
process.exitCode = unlisted === 0 ? 0 : 1;

function shown(result: { readonly state: string; readonly message: string } | undefined): string {
  if (result === undefined) return 'did not run';
  return `${result.state} ${result.message.trim().split('\n')[0] ?? ''}`.trim();
}
