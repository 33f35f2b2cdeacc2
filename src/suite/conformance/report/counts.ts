import type { SavedOutcome, SavedResult } from './saved.js';

export type Counts = Readonly<Record<SavedOutcome, number>>;

export function countOutcomes(results: readonly Pick<SavedResult, 'outcome'>[]): Counts {
  const counts = { passed: 0, failed: 0, deviates: 0, surprise: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return counts;
}

const words: Readonly<Record<SavedOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  deviates: 'known deviations',
  surprise: 'passed unexpectedly',
  skipped: 'skipped',
};

/** `86 passed, 2 failed, 7 known deviations`. Omits outcomes without checks, except passed and failed. */
export function describeCounts(counts: Counts): string {
  const shown = (Object.keys(words) as SavedOutcome[]).filter(
    (outcome) => counts[outcome] > 0 || outcome === 'passed' || outcome === 'failed',
  );
  return shown.map((outcome) => `${counts[outcome]} ${words[outcome]}`).join(', ');
}
