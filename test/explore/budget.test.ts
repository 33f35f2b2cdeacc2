import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { summarize } from '../../src/cli/commands/explore/summarize.js';
import type { Explored } from '../../src/lab/explore/explore.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { explored, subject } from './subject.js';

const directory = useTemporaryDirectory();

const BUDGET = 9000;
const RUN = 900;
/** The first run also compiles the code. */
const FIRST = 3000;

/** Explores with runs that take time on the clock of the budget: a rule of the user moves it after each. */
async function search() {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly callback: () => unknown }>();
  const clock = {
    elapsed: () => now,
    setTimer: (delay: number, callback: () => unknown) => {
      const timer = { at: now + delay, callback };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
  };
  const runEnds = () => {
    now += now === 0 ? FIRST : RUN;
    for (const timer of timers) if (timer.at <= now && timers.delete(timer)) timer.callback();
  };
  Object.assign(globalThis, { runEnds });
  const oracle = join(directory, 'slow.mjs');
  writeFileSync(oracle, 'export default () => globalThis.runEnds();');
  const scenario = await subject();
  const budget = { time: BUDGET };
  const result = await explored({
    scenario,
    clock,
    oracle,
    budget,
    only: ['state CREATED', 'exit'],
    depth: 2,
  });
  return { result, elapsed: now };
}

let searched: Awaited<ReturnType<typeof search>>;
beforeAll(async () => {
  searched = await search();
});

test('search and shrinking leave a tenth of the time budget, with the first run and the last one included', () => {
  const { result, elapsed } = searched;
  expect(result.isComplete).toBe(false);
  expect(result.findings.length).toBeGreaterThan(0);
  expect(elapsed).toBeGreaterThan(BUDGET * 0.6);
  expect(elapsed).toBeLessThanOrEqual(BUDGET * 0.9 + RUN);
});

test('after the budget, and if known, findings are written without another run, known ones on one page', async () => {
  const { result } = searched;
  const found = ['accepted', 'in time', 'late'].map((kind) => ({ ...result.findings[0], kind }) as Explored);
  let written = 0;
  const { findings } = await summarize(found, [result], {
    out: directory,
    versions: [undefined],
    known: (kind) => (kind === 'accepted' ? { kind, why: 'we know' } : undefined),
    signal: new AbortController().signal,
    isLate: () => written > 1,
    onWritten: (done) => {
      written = done;
    },
  });
  expect(findings.map(({ tape }) => tape !== undefined)).toEqual([false, true, false]);
  expect(readFileSync(findings[1]?.page ?? '', 'utf8')).toContain(findings[1]?.message.split('\n')[0]);
  expect(findings[0]).toMatchObject({ known: 'we know', explanation: join(directory, 'known.txt') });
  expect(findings[2]?.decision).toBe('The budget left no time to run it again: replay it.');
  expect(readFileSync(findings[2]?.explanation ?? '', 'utf8')).toContain('Replay:');
  expect(readdirSync(directory).filter((name) => name.endsWith('.tape.gz'))).toHaveLength(1);
});
