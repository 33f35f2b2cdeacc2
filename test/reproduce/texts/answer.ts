import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { loadSubject } from '../../../src/lab/explore/subject/subject.js';
import type { SeenFile } from '../../../src/lab/reproduce/facts.js';
import { readSeen } from '../../../src/lab/reproduce/read/read-seen.js';
import { type Reproduction, reproduce } from '../../../src/lab/reproduce/reproduce.js';
import { filesOf, type TextCase } from './cases.js';

/** The parsed text and the search's answer. */
export interface Answer {
  readonly seen: readonly SeenFile[];
  readonly result: Reproduction;
}

const RUNS = 100;

/** Reads the text of a case, and searches for possible causes. */
export async function answerTo(given: TextCase, schedules = RUNS): Promise<Answer> {
  const { pod, saw } = filesOf(given);
  const seen = await Promise.all(saw.map(readSeen));
  const result = await reproduce({
    scenario: await loadSubject([pod]),
    saw: seen,
    budget: { schedules },
    seed: '1',
    depth: 2,
    workers: 0,
    clock: createRealClock(),
  });
  return { seen, result };
}
