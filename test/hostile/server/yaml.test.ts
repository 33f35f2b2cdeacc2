import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { InputError, parseYaml } from '../../../src/base/input/yaml.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

const schema = z.strictObject({ version: z.literal(1) });

/** The problems that reading a text reports, one a line. */
function problems(text: string): readonly string[] {
  try {
    parseYaml(text, schema, 'f');
  } catch (error) {
    if (error instanceof InputError) return error.problems;
    throw error;
  }
  throw new Error('it was taken');
}

/** Of the processor, which a busy machine does not lengthen. */
const MOST_SECONDS = 10;

const long = 1024 * 1024;
/** Texts of up to 1 MiB that took seconds, all memory, or the process. */
const attacks: Readonly<Record<string, string>> = {
  lists: '['.repeat(2000) + ']'.repeat(2000),
  'open lists': '['.repeat(long),
  mappings: `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
  'block lists': '- '.repeat(long / 2),
  'complex keys': '? '.repeat(long / 2),
  'empty keys': ': '.repeat(long / 2),
  'many keys': Array.from({ length: 20_000 }, (_, index) => `key${index}: 1\n`).join(''),
  'one key often': 'a: 1\n'.repeat(20_000),
  'double quotes': '"'.repeat(long),
  'pairs of quotes on lines': '""\n'.repeat(40_000),
  'single quotes': "'".repeat(long),
  documents: '---\n'.repeat(long / 4),
  directives: '%a\n'.repeat(long / 3),
  anchors: '&a '.repeat(long / 3),
  'a merge of nothing': '%YAML 1.1\n---\n<<:',
  'a merge of a number': '%YAML 1.1\n---\n<<: 1\n',
  'an alias to nothing': 'version: *a\n',
  'an alias to itself': 'version: &a [*a]\n',
  'an alias to a mapping around it': 'a: &a {b: {c: *a}}\n',
  'aliases by the million': `a: &a [1,1]\n${[...'bcdefghij']
    .map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]\n`)
    .join('')}`,
  'merges by the million': `a: &a {k: 1, l: 2}\n${[...'bcdefghij']
    .map((name, index) => `${name}: &${name} {<<: [${`*${'abcdefghi'[index]},`.repeat(9)}]}\n`)
    .join('')}`,
  'deep aliases': `a: &a ${'['.repeat(60)}${']'.repeat(60)}\nb: &b ${'['.repeat(60)}*a${']'.repeat(60)}\n`,
};

it.each(Object.entries(attacks))('refuses %s with a line, in time', (_, text) => {
  const before = process.cpuUsage();
  const found = problems(text);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(MOST_SECONDS);
  expect(found.length).toBeLessThanOrEqual(20);
  for (const problem of found) expect(problem).toMatch(/^f:\d+:\d+: /);
});

it('still reports duplicate keys, and reads aliases', () => {
  expect(problems('version: 1\nversion: 1\n')).toEqual([
    'f:2:1: the key "version" is given twice; give it once',
  ]);
  expect(parseYaml('a: &x [1]\nb: *x\nc: &x 2\nd: *x\n', z.unknown(), 'f')).toEqual({
    a: [1],
    b: [1],
    c: 2,
    d: 2,
  });
});

const bodies = Object.entries(attacks);
const someBodies = sampleOf(bodies, 4);

it(`answers 400 over the control API and survives (${ofAll(someBodies.length, bodies.length, 'texts')})`, async () => {
  const victim = await startVictim(temporary(), ['--control', '127.0.0.1:0']);
  const containerId = await victim.container('sleep 1000');
  for (const path of ['/v1/faults', `/v1/containers/${containerId}/exit`])
    for (const [name, body] of someBodies) {
      const { status } = await fetch(victim.control + path, { method: 'POST', body });
      expect({ name, path, status }).toEqual({ name, path, status: 400 });
      await victim.version();
    }
  expect(await victim.stop()).toBe(0);
});

it('exits with code 2 for such a file', async () => {
  const directory = join(temporary(), 'files');
  mkdirSync(directory);
  for (const name of ['lists', 'an alias to nothing', 'an alias to itself'] as const) {
    const file = join(directory, 'faults.yaml');
    writeFileSync(file, attacks[name] ?? '');
    await expect(startVictim(temporary(), ['--faults', file])).rejects.toThrow(
      /^exit 2: .*faults\.yaml:1:\d+: /s,
    );
  }
});
