import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { runScenarios } from '../../src/cli/commands/simulate/run-scenarios.js';
import { statusOf } from '../../src/runtime/server/status.js';
import { judgeTape } from '../../src/tape/judge/tape-judge.js';
import { openTape } from '../../src/tape/read.js';
import { readAll } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectories();
const parts = {
  backend: createMemoryBackend,
  codeOf: (error: unknown) => statusOf(error, String).code,
};
const quiet = { out: () => {}, err: () => {} };

test("a simulation is recorded with the kubelet's output, and breaks no rule", async () => {
  const record = join(directory(), 'run.tape.gz');
  expect(await runScenarios(['scenarios/liveness-crash-loop.yaml'], { record }, parts, quiet)).toBe(0);
  const { header, entries } = await readAll(record);
  expect(header).toMatchObject({ clock: 'virtual', kubelet: expect.stringMatching(/^1\./) });
  const kinds = new Set(entries.map(({ kind }) => kind));
  for (const kind of ['call', 'reply', 'row', 'event', 'container', 'backoff', 'pleg', 'probe'] as const)
    expect(kinds).toContain(kind);
  expect((await judgeTape(await openTape(record))).findings).toEqual([]);
});

slow('a call that timed out in the kubelet ends with DEADLINE_EXCEEDED, as on a live server', async () => {
  const record = join(directory(), 'run.tape.gz');
  expect(await runScenarios(['scenarios/runtime-hang.yaml'], { record }, parts, quiet)).toBe(0);
  const { entries } = await readAll(record);
  const late = entries.filter((entry) => entry.kind === 'reply' && entry.by === 'deadline');
  expect(new Set(late.map((entry) => entry.kind === 'reply' && entry.code))).toEqual(
    new Set(['DEADLINE_EXCEEDED']),
  );
});

slow('the tape of a scenario in which a container ended before 1970 is readable', async () => {
  const record = join(directory(), 'run.tape.gz');
  expect(await runScenarios(['scenarios/wrong-time-unit.yaml'], { record }, parts, quiet)).toBe(0);
  const { entries } = await readAll(record);
  const decisions = entries.filter((entry) => entry.kind === 'backoff');
  expect(Math.max(...decisions.map(({ endedAgo = 0 }) => endedAgo))).toBeGreaterThan(1.7e18);
});
