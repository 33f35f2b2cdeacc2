import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pod, tapeText } from '../../../../test/support/tape/text.js';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { isThorough } from '../../../../test/support/thorough.js';
import type { Line } from '../../../tape/entries.js';
import { readTape } from './tape-reader.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();

function read(...lines: readonly Line[]) {
  const path = join(directory, 'run.tape');
  writeFileSync(path, tapeText(...lines));
  return readTape(path);
}

const row = (t: number): Line => ({ t, kind: 'row', pod, ready: '0/1', status: 'Error', restarts: 1 });
const rows = (count: number) => Array.from({ length: count }, (_, t) => row(t));
const log = (text: string): Line => ({ t: 1, kind: 'log', from: 'kubelet', text });
const event = (text: string): Line => ({
  t: 1,
  kind: 'event',
  pod,
  type: 'Warning',
  reason: 'BackOff',
  text,
  field: '',
});

slow('a tape shows as much as any other file of what was seen', async () => {
  expect((await read(...rows(50_000))).seen).toHaveLength(50_000);
});

slow('a tape that shows more is not read further', async () => {
  const beyond = { t: -1, kind: 'row' } as unknown as Line;
  await expect(read(...rows(50_001), beyond)).rejects.toThrow('it has more than 50000 rows');
});

slow('a tape whose texts are longer than a file may be is not read further', async () => {
  const large = event('word '.repeat(1000));
  const beyond = { t: -1, kind: 'row' } as unknown as Line;
  await expect(read(...Array.from({ length: 16_400 }, () => large), beyond)).rejects.toThrow(
    'it has more than 67108864 characters of observations',
  );
});

test('of a long text only the beginning is looked at', async () => {
  const { seen } = await read(
    log(`PLEG is not healthy: pleg was last seen active${'"ListPodSandbox'.repeat(1000)}`),
    // Searched to its end for each of its beginnings, it would take hours.
    log('"ListPodSandbox'.repeat(1_000_000)),
    event('x'.repeat(10_000)),
  );
  expect(seen).toMatchObject([
    { what: 'log', kind: 'PLEG is not healthy' },
    { what: 'event', message: `${'x'.repeat(4095)}…` },
  ]);
});
