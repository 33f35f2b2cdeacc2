import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { align } from '../../src/base/input/align.js';
import { kubeletChanges } from '../../src/kubelet/config/changes.js';
import { compareRuns } from '../../src/lab/scenario/compare/comparison.js';
import { comparisonLines } from '../../src/lab/scenario/compare/comparison-text.js';
import type { Simulation } from '../../src/lab/scenario/run/run.js';
import fc from '../support/properties.js';

const run = (
  name: string,
  rows: readonly (readonly [number, string])[],
  event = 'Created container app',
) => ({
  name,
  version: name,
  result: {
    rows: rows.map(([t, status]) => ({ t, pod: 'web', ready: '0/1', status, restarts: 0 })),
    events: [{ t: 1, pod: 'web', field: '', type: 'Normal', reason: 'Created', message: event }],
  } as unknown as Simulation,
});

test('equal versions share a column, and rows that differ are marked', () => {
  const comparison = compareRuns([
    run('1.32', [
      [1, 'Pending'],
      [2, 'Error'],
    ]),
    run('1.33', [
      [1, 'Pending'],
      [2.5, 'Error'],
    ]),
    run('1.34', [
      [1, 'Pending'],
      [2, 'Running'],
      [9, 'Error'],
    ]),
    run(
      '1.35',
      [
        [1, 'Pending'],
        [2, 'Running'],
        [9, 'Error'],
      ],
      'Container created',
    ),
  ]);
  expect(comparison.columns).toEqual([['1.32', '1.33'], ['1.34'], ['1.35']]);
  expect(comparison.rows.map(({ status, times, differs }) => [status, times, differs])).toEqual([
    ['Pending', [1, 1, 1], false],
    ['Running', [null, 2, 2], true],
    ['Error', [2, 9, 9], true],
  ]);
  expect(comparison.events.map(({ message, counts }) => [message, counts])).toEqual([
    ['Created container app', [1, 1, 0]],
    ['Container created', [0, 0, 1]],
  ]);
  expect(comparison.changes.map(({ version }) => version)).toEqual(['1.34', '1.35']);
  const lines = comparisonLines(comparison);
  expect(lines[0]).toMatch(/NAME +READY +STATUS +RESTARTS +1\.32,1\.33 +1\.34 +1\.35$/);
  expect(lines[2]).toMatch(/^\* .*Running/);
});

test('versions with equal rows share one column', () => {
  const { columns, changes, rows } = compareRuns(
    ['1.28', '1.29', '1.30'].map((name) => run(name, [[1, 'Running']])),
  );
  expect([columns, changes]).toEqual([[['1.28', '1.29', '1.30']], []]);
  expect(comparisonLines({ columns, changes, rows, events: [] }).join('\n')).toContain(
    'All are equal: 1.28..1.30.',
  );
});

test('alignment of lists loses nothing and keeps their order', () => {
  const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
      const aligned = align(lists, (item) => item);
      for (const [index, own] of lists.entries())
        expect(aligned.flatMap(({ found }) => found[index] ?? [])).toEqual(own);
      for (const { item, found } of aligned)
        expect(found.every((each) => each === undefined || each === item)).toBe(true);
    }),
  );
});

test('docs/kubelet.md lists the changes of each version as the comparison prints them', () => {
  const page = readFileSync('docs/kubelet.md', 'utf8');
  const rows = [...page.matchAll(/^- \*\*(1\.\d+)\*\* (.*)$/gm)].map(([, version, text]) => [
    version,
    text?.replace(/; see \[.*$/, ''),
  ]);
  const listed = Object.entries(kubeletChanges()).map(([version, changes]) => [
    version,
    changes.map(({ what }) => what).join('; '),
  ]);
  expect(rows).toEqual(listed);
});
