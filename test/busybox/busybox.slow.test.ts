import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './case.js';
import { families } from './families.js';
import { simulate } from './simulate.js';

/** Recorded results of a real busybox 1.35 (see record.ts); its usage texts are not compared. */
function goldenOf(family: string): Readonly<Record<string, Outcome>> {
  return JSON.parse(readFileSync(new URL(`golden/${family}.json`, import.meta.url), 'utf8'));
}

/** Drops usage texts, and the order of directory entries, which is undefined. */
function comparable(family: string, { steps, changes }: Outcome, other: Outcome): Outcome {
  const isUsage = (index: number) => /^BusyBox v/m.test(other.steps[index]?.stderr ?? '');
  const sorted = (text: string) => (family === 'find' ? text.split('\n').sort().join('\n') : text);
  return {
    steps: steps.map(({ stdout, stderr, code }, index) => ({
      stdout: sorted(stdout),
      stderr: isUsage(index) ? 'usage' : stderr,
      code,
    })),
    changes,
  };
}

describe.each(Object.entries(families))('%s commands, as in busybox', (family, cases) => {
  const golden = goldenOf(family);
  it.each(Object.entries(cases))('%s', async (name, one) => {
    const expected = golden[name];
    if (!expected) throw new TypeError(`no golden outcome: npx tsx test/busybox/record.ts ${family}`);
    expect(comparable(family, await simulate(one), expected)).toEqual(comparable(family, expected, expected));
  });
});
