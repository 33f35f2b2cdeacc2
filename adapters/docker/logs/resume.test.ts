import { appendFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { HostPlaces } from '../../../src/base/host/host-places.js';
import fc from '../../../test/support/properties.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { formatMessage, type LogMessage } from './messages.js';
import { findPosition } from './position.js';
import { Resume } from './resume.js';

const temporary = useTemporaryDirectories();
const places = new HostPlaces();
let directory: string;
let path: string;
beforeEach(async () => {
  directory = temporary();
  path = join(directory, '0.log');
});

const at = (nanos: number): string => `2026-01-02T03:04:05.${String(nanos).padStart(9, '0')}Z`;
const text = (messages: readonly LogMessage[]): string =>
  Buffer.concat(messages.map(formatMessage)).toString();

/** What a container may have written: times go up and down between streams, and some are the same. */
const histories = fc.array(
  fc.record({
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    time: fc.integer({ min: 0, max: 8 }).map(at),
    full: fc.boolean(),
    content: fc.constantFrom('', 'a', 'some text').map((line) => Buffer.from(line)),
  }),
  { maxLength: 30 },
);

/** In one stream, time does not go back; pieces with the same time are next to each other. */
function possible(history: readonly LogMessage[]): LogMessage[] {
  const streams = { stdout: [] as string[], stderr: [] as string[] };
  for (const { stream, time } of history) streams[stream].push(time);
  streams.stdout.sort();
  streams.stderr.sort();
  return history.map((message) => ({ ...message, time: streams[message.stream].shift() as string }));
}

async function copy(history: readonly LogMessage[]): Promise<void> {
  const resume = new Resume(await findPosition(path, places));
  const fresh = history.flatMap((message) => resume.accept(message));
  await appendFile(path, text([...fresh, ...resume.end()]));
}

it('writes every message once, wherever the server is killed, even within a line', async () => {
  await fc.assert(
    fc.asyncProperty(histories, fc.nat(), async (history, seed) => {
      const whole = text(possible(history));
      await writeFile(path, whole.slice(0, seed % (whole.length + 1)));
      const messages = possible(history);
      await copy(messages);
      expect(await readFile(path, 'utf8')).toBe(whole);
    }),
    { numRuns: 300 },
  );
});

it('continues after the end of a rotated log', async () => {
  const messages = [1, 2, 3].map((nanos) => message(nanos));
  await writeFile(path, text(messages.slice(0, 2)));
  await rename(path, `${path}.20260102-030405`);
  await writeFile(path, '');
  await copy(messages);
  expect(await findPosition(path, places)).toEqual({ time: at(3), stream: 'stdout', repeats: 1 });
});

it('uses the time when Docker has dropped the last logged messages', () => {
  const resume = new Resume({ time: at(5), stream: 'stdout', repeats: 1 });
  expect(resume.accept(message(4))).toEqual([]);
  expect(resume.accept(message(6))).toEqual([]);
  expect(resume.end()).toEqual([message(6)]);
});

it('finds nothing where nothing was logged', async () => {
  expect(await findPosition(path, places)).toBeUndefined();
  await writeFile(path, 'not a log');
  expect(await findPosition(path, places)).toBeUndefined();
});

function message(nanos: number): LogMessage {
  return { stream: 'stdout', time: at(nanos), content: Buffer.from('x'), full: true };
}
