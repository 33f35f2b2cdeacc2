import { closeSync, ftruncateSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { runCommand, spawnCommand } from '../support/command.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { countOf, isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();
const path = (name: string) => join(directory, name);
const run = (...args: string[]) => runCommand('reproduce', path('web.yaml'), ...args);
const write = (name: string, text: string | Buffer) => {
  writeFileSync(path(name), text);
  return path(name);
};

/** In runs; the first few have the cause. */
const BUDGET = String(countOf(150, 14));

const ROWS = `NAME   READY   STATUS              RESTARTS   AGE
web    0/1     ContainerCreating   0          0s
web    0/1     RunContainerError   0          2m1s
web    1/1     Running             1          2m2s
`;

beforeAll(() => {
  write(
    'web.yaml',
    'apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: app, image: "nginx:1" }] }\n',
  );
});

slow('a start that hangs is found, and the scenario of the cause is written', async () => {
  const saw = write('rows.txt', ROWS);
  const args = [
    '--saw',
    saw,
    '--kubelet-version',
    '1.36',
    '--budget',
    BUDGET,
    '--json',
    '--out',
    path('out'),
  ];
  const { code, out } = await spawnCommand('reproduce', path('web.yaml'), ...args, '--workers', '1');
  const answer = JSON.parse(out);
  expect(answer.causes[0].kind).toBe('delay StartContainer');
  expect(answer.causes[0].verdict).toBe('fits');
  expect(answer.read[0].parts).toEqual(['3 rows of pods']);
  expect(code).toBe(0);
  expect(readFileSync(path('out/cause-1.yaml'), 'utf8')).toContain('StartContainer');
  expect(answer.page).toBe(path('out/causes.html'));
  expect(readFileSync(answer.page, 'utf8')).toMatch(/data-name="observations"[\s\S]*data-name="1\. /);
  const shown = await runCommand('simulate', path('out/cause-1.yaml'));
  expect(shown.out).toMatch(
    /0\/1 +ContainerCreating +0\s.*0\/1 +RunContainerError +0\s.*1\/1 +Running +1\s/s,
  );
  const again = await run(...args, '--workers', '0', '--resume');
  expect(JSON.parse(again.out).causes[0].kind).toBe('delay StartContainer');
});

test.each([
  ['empty', '', 'it is empty'],
  ['unknown', 'Lorem ipsum\ndolor sit amet\n', 'unknown format; it begins with "Lorem ipsum"'],
  ['control', '\u001b[2Jweb\u0007 x\n', 'unknown format'],
  ['binary', Buffer.from([0, 159, 146, 150, 0]), 'it is not text'],
])('a file that is %s is refused with its name', async (name, text, message) => {
  const { code, out, err } = await run('--saw', write(name, text));
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(`${path(name)}: ${message}`);
  expect(err).not.toContain('\u001b[2J');
});

test('a line of a gigabyte is refused before all of it is read', async () => {
  const file = openSync(path('long'), 'w');
  ftruncateSync(file, 1024 ** 3);
  closeSync(file);
  const { code, err } = await run('--saw', path('long'));
  expect(code).toBe(2);
  expect(err).toContain('it has more than 67108864 bytes');
});

test('invalid combinations of options are refused', async () => {
  const saw = write('rows.txt', ROWS);
  expect((await run('--saw', saw, '--resume')).err).toContain('--resume: expected --out');
  expect((await run('--saw', saw, '--depth', '9')).code).toBe(2);
  expect((await run('--saw', path('missing'))).err).toContain('there is no such file');
  expect((await run()).code).toBe(2);
});
