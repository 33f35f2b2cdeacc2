import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { writeFinding } from '../../src/lab/explore/report/write.js';
import { loadOracle } from '../../src/lab/scenario/expect/oracle.js';
import { runCommand } from '../support/command.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';
import { explored, subject } from './subject.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

function module(text: string, name = 'rule.mjs'): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

/** A container is created once. */
const ONE_CREATE = `export default ({ entries, until }) => {
  const made = entries.filter(({ kind, method }) => kind === 'call' && method === 'CreateContainer');
  return made.length > 1 ? [made.length + ' creations within ' + until + 'ms: ' + made[1].message.json().config.metadata.name] : undefined;
};`;

slow("a violation of a user's rule is found, reduced, written, and checked again by simulate", async () => {
  const oracle = module(ONE_CREATE);
  const { findings } = await explored({
    scenario: await subject(),
    oracle,
    only: ['error before CreateContainer'],
    budget: { schedules: 3 },
  });
  const found = findings.find(({ finding }) => finding.rule === 'oracle');
  expect(found?.finding).toMatchObject({ message: expect.stringMatching(/^2 creations within \d+ms: app$/) });
  if (found === undefined) return;
  const { file, replay } = await writeFinding(found, { directory, recorder: 'mockri test', oracle });
  expect(replay).toContain(`--oracle ${oracle}`);
  const run = await runCommand('simulate', file, '--oracle', oracle);
  expect(run.err).toContain('oracle: 2 creations');
  expect(run.code).toBe(1);
});

test.each([
  ['export const rule = 1', 'expected a module with a function as its default export, not nothing'],
  ['export default 5', 'expected a module with a function as its default export, not a number'],
  ['export default (', 'it cannot be loaded: '],
])('%s is not an oracle', async (text, message) => {
  const file = module(text);
  await expect(loadOracle(file)).rejects.toThrow(`--oracle: ${file}: ${message}`);
});

test.each([
  ['export default () => 5', 'expected a text, or a list; given 5'],
  ['export default () => { throw new Error("no such field") }', 'the function throws: no such field'],
])('the error for a failing oracle names it: %s', async (text, message) => {
  const file = module(text);
  const oracle = await loadOracle(file);
  await expect(oracle({ entries: [], until: 1 })).rejects.toThrow(message);
  await expect(oracle({ entries: [], until: 1 })).rejects.toThrow(file);
});

test('the error for a missing file names it', async () => {
  await expect(loadOracle('/nowhere.mjs')).rejects.toThrow(
    '--oracle: /nowhere.mjs: it cannot be read: ENOENT',
  );
});
