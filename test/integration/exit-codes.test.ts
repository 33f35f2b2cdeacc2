import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { CommandRun } from '../support/command.js';
import { builtFile, commandLine } from '../support/program.js';

/** Runs the command line in a process whose Node was changed first. */
const runOn = (change: string, ...args: string[]): Promise<CommandRun> =>
  new Promise((resolve) => {
    const preload = `data:text/javascript,${encodeURIComponent(change)}`;
    execFile(process.execPath, ['--import', preload, ...commandLine(...args)], (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });

test.each(['18.20.8', '12.22.12'])(
  'with Node %s any command ends with exit code 2 and one sentence',
  async (version) => {
    const change = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
    expect(await runOn(change, 'simulate', '--list')).toEqual({
      code: 2,
      out: '',
      err: `mockri: Mockri needs Node 20 or newer, and this is Node ${version}: install a newer one\n`,
    });
  },
);

test('old versions of Node can parse the version check, and the package requires the same version', () => {
  const main = readFileSync(builtFile('src/cli/main.js'), 'utf8');
  // Node 12 knows modules and import(), but not these, and no import of "node:fs".
  expect(main).not.toMatch(/\?\.|\?\?|\bawait\b|\bimport\s*[{*"'`]|\bfrom\b/);
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(engines).toEqual({ node: '>=20' });
});

/** What a command gets that asks a server: no answer, ever. */
const askWith = (what: string) =>
  runOn(
    `globalThis.fetch = () => { ${what}; return new Promise(() => {}); };`,
    ...['fault', 'list', '--control', 'http://127.0.0.1:1'],
  );

test('a command that waits for something that can no longer happen does not exit with 0', async () => {
  const { code, err } = await askWith('');
  expect(code).toBe(1);
  expect(err).toMatch(/^mockri: the command waits for something that can no longer happen: .*\n$/);
});

test('an unhandled rejection does not exit with 0', async () => {
  const { code, err } = await askWith("Promise.reject(new Error('nobody handles this'))");
  expect(code).toBe(1);
  expect(err).toContain('nobody handles this');
});
