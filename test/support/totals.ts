import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';
import { measured } from './longest-first.js';
import { command } from './tiers.js';

/** Files that take longer than this, in ms, are recorded for the order of the next run. */
const LONG = 1000;

/**
 * Prints the numbers of passed and failed tests at the end of a run, on one line. A file that could not run and an
 * error outside a test count as failed. With MEASURE=1 it records the times of files.
 */
export class Totals implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const count = (state: 'passed' | 'failed') =>
      modules.reduce((sum, module) => sum + [...module.children.allTests(state)].length, 0);
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const failed = count('failed') + broken + errors.length;
    process.stdout.write(`${command}: ${count('passed')} passed, ${failed} failed\n`);
    if (process.env.MEASURE === '1') measure(modules);
  }
}

function measure(modules: readonly TestModule[]): void {
  const times = new Map(Object.entries(measured));
  for (const module of modules) {
    const file = relative('.', module.moduleId);
    const { duration } = module.diagnostic();
    if (duration < LONG) times.delete(file);
    else times.set(file, Math.round(duration / LONG));
  }
  const sorted = [...times].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  writeFileSync('test/support/seconds.json', `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
