import { expect, test } from 'vitest';
import { tapeText } from '../../../../test/support/tape/text.js';
import type { Line } from '../../entries.js';
import { activityOf, isDense } from './activity.js';
import { NO_FILTER } from './filter.js';
import { firstViewOf } from './first-view.js';
import { eachWithin, layoutOf, rowAt } from './layout.js';
import { durationText, momentText, summaryOf, tickText, timeText } from './names.js';
import { readTape } from './reader.js';
import { following, panned, showing, ticksOf, type View, wholeOf, within, zoomed } from './view.js';

test('zooms about a moment, and stays within the tape', () => {
  expect(zoomed({ from: 0, to: 100_000 }, 0.5, 20_000, 100_000)).toEqual({ from: 10_000, to: 60_000 });
  expect(zoomed({ from: 0, to: 100_000 }, 9, 20_000, 100_000)).toEqual(wholeOf(100_000));
  expect(zoomed({ from: 0, to: 2000 }, 0.001, 0, 100_000)).toEqual({ from: 0, to: 1000 });
  expect(panned({ from: 0, to: 1000 }, -1e9, 100_000)).toEqual({ from: -2000, to: -1000 });
  expect(within({ from: 5e9, to: 6e9 }, 100_000)).toEqual(wholeOf(100_000));
});

test('moves to a moment only when it is out of sight', () => {
  const view = { from: 0, to: 10_000 };
  expect(showing(view, 5000, 100_000)).toBe(view);
  expect(showing(view, 50_000, 100_000)).toEqual({ from: 45_000, to: 55_000 });
});

test('puts lines of the axis at round times', () => {
  expect(ticksOf({ from: 0, to: 600e9 }, 6)).toEqual({
    step: 120e9,
    ticks: [0, 120e9, 240e9, 360e9, 480e9, 600e9],
  });
  expect(ticksOf({ from: 0, to: 9e6 }, 6).step).toBe(2e6);
  expect(ticksOf({ from: 0, to: 10 * 86_400e9 }, 5).step).toBe(2 * 86_400e9);
});

test('has few lines of the axis even where numbers are too large to tell moments apart', () => {
  const { ticks } = ticksOf({ from: 4e18, to: 4e18 + 1024 }, 6);
  expect(ticks.length).toBeLessThanOrEqual(7);
});

test('writes times for people', () => {
  expect([0, 340_000, 1.25e6, 41.34e9, 310e9, 7380e9, 90_000e9].map(durationText)).toEqual([
    '0ns',
    '340µs',
    '1.3ms',
    '41.3s',
    '5m10s',
    '2h3m',
    '1d1h',
  ]);
  expect([-1.5e6, -2e9, 999_600, 999.96e6, 59.96e9].map(durationText)).toEqual([
    '-1.5ms',
    '-2s',
    '1ms',
    '1s',
    '1m',
  ]);
  expect([-1.5e9, -61e9, -1.5e6, -1000].map((t) => momentText(t))).toEqual([
    '-1.5s',
    '-1m01s',
    '-0.002s',
    '0s',
  ]);
  expect([0, 1.5e9, 60e9, 61.25e9, 3661e9].map((t) => momentText(t))).toEqual([
    '0s',
    '1.5s',
    '1m00s',
    '1m01.25s',
    '1h01m01s',
  ]);
  expect(timeText(61.25e9, 1e9)).toBe('1m01s');
  expect(timeText(1000, 1000)).toBe('0.000001s');
  expect([0, 120e9, 3600e9, 5400e9].map((t) => tickText(t, 120e9))).toEqual(['0s', '2m', '1h', '1h30m']);
  expect([90e9, 3_630e9].map((t) => tickText(t, 30e9))).toEqual(['1m30s', '1h00m30s']);
  expect(tickText(60e9, 5e8)).toBe('1m00.0s');
});

const { timeline } = readTape(
  'x',
  tapeText(
    { t: 0, kind: 'row', pod: { name: 'a', namespace: 'n' }, ready: '1/1', status: 'Running', restarts: 0 },
    { t: 1, kind: 'row', pod: { name: 'b', namespace: 'n' }, ready: '1/1', status: 'Running', restarts: 0 },
    { t: 2, kind: 'call', call: 1, method: 'Status', connection: 0 },
    {
      t: 3,
      kind: 'call',
      call: 2,
      method: 'StopContainer',
      connection: 0,
      pod: { name: 'b', namespace: 'n' },
    },
    { t: 4, kind: 'reply', call: 2, method: 'StopContainer', code: 'UNKNOWN', details: 'Oops' },
  ),
);
const labels = (filter: object, toggled: ReadonlySet<string> = new Set()) =>
  layoutOf({ tapes: [{ name: 'x', timeline }], filter: { ...NO_FILTER, ...filter }, toggled }).rows.map(
    ({ label }) => label,
  );

test('lays out the lanes that a filter leaves', () => {
  expect(labels({})).toEqual(['calls about the node', 'n/a', 'n/b', 'calls']);
  expect(labels({ pod: 'n/b' })).toEqual(['calls about the node', 'n/b', 'calls']);
  expect(labels({ method: 'StopContainer' })).toEqual(['calls']);
  expect(labels({ code: 'UNKNOWN' })).toEqual(['calls']);
  expect(labels({ text: 'OOPS stop' })).toEqual(['calls']);
  expect(labels({ faulty: true })).toEqual([]);
  expect(labels({}, new Set(['0 n/b']))).toEqual(['calls about the node', 'n/a', 'n/b']);
});

test('the rows of a pod on several tapes are next to each other, and each tape follows as a whole', () => {
  const tapes = ['one', 'two'].map((name) => ({ name, timeline }));
  const layout = layoutOf({ tapes, filter: { ...NO_FILTER, pod: 'n/b' }, toggled: new Set() });
  const whole = ['calls about the node', 'n/b', 'calls'];
  expect(layout.rows.map(({ label }) => label)).toEqual([
    ...['n/b', 'one', 'two'],
    ...['one', ...whole],
    ...['two', ...whole],
  ]);
});

test('finds rows by their height, and items by their time', () => {
  const layout = layoutOf({ tapes: [{ name: 'x', timeline }], filter: NO_FILTER, toggled: new Set() });
  for (const row of layout.rows) expect(rowAt(layout, row.y + row.height / 2)).toBe(row);
  const [first] = layout.rows;
  const found: number[] = [];
  eachWithin(first?.items ?? [], 100, 200, ({ t }) => found.push(t));
  // The call is open: it lasts.
  expect(found).toEqual([2]);
});

test('pods with nothing in the view of a live page are one row, which a click opens', () => {
  const pod = { name: 'old', namespace: 'n' };
  const gone = readTape(
    'x',
    tapeText(
      { t: 0, kind: 'container', pod, container: { name: 'app', attempt: 0 }, what: 'started' },
      { t: 5, kind: 'container', pod, container: { name: 'app', attempt: 0 }, what: 'ended', exitCode: 0 },
      {
        t: 9,
        kind: 'container',
        pod: { ...pod, name: 'new' },
        container: { name: 'app', attempt: 0 },
        what: 'started',
      },
    ),
  );
  const shown = (within: View | undefined, filter: object = {}, toggled: ReadonlySet<string> = new Set()) =>
    layoutOf({ tapes: [gone], filter: { ...NO_FILTER, ...filter }, toggled, within })
      .rows.filter(({ lane }) => lane === undefined)
      .map(({ label, isOpen }) => `${label}${isOpen ? '' : ' …'}`);
  const late = { from: 8, to: 20 };
  expect(shown(undefined)).toEqual(['n/old', 'n/new']);
  expect(shown({ from: 0, to: 20 })).toEqual(['n/old', 'n/new']);
  expect(shown(late)).toEqual(['n/new', '1 pod with nothing in this view …']);
  expect(shown(late, {}, new Set(['folded']))).toEqual(['n/old', 'n/new', '1 pod with nothing in this view']);
  expect(shown(late, { pod: 'n/old' })).toEqual(['n/old']);
});

test('the page has one summary of all its tapes', () => {
  const { header } = timeline;
  const [one, two] = [
    { header, calls: 1, lines: 7, end: 61e9 },
    { header: { ...header, clock: 'real' as const }, calls: 2, lines: 5, end: 3e9 },
  ];
  expect(summaryOf([one])).toBe(
    `1 call, 7 lines, 1m01s, ${header.clock} time, recorded by ${header.recorder}`,
  );
  expect(summaryOf([one, two, one])).toBe(
    `3 tapes: 4 calls, 19 lines, 1m01s, ${header.clock} and real time, recorded by ${header.recorder}`,
  );
});

test('gives spare height to pods, containers and calls, never more than they can use', () => {
  const heights = (available: number) =>
    layoutOf({ tapes: [{ name: 'x', timeline }], filter: NO_FILTER, toggled: new Set(), available });
  const [small, large, vast] = [heights(0), heights(120), heights(2000)];
  expect(small).toEqual(heights(50));
  expect(large.height).toBeGreaterThan(small.height);
  expect(large.height).toBeLessThanOrEqual(120);
  expect(vast.height).toBeLessThan(small.height * 1.9);
  expect(
    vast.rows.every((row, index) => row.y + row.height === (vast.rows[index + 1]?.y ?? vast.height)),
  ).toBe(true);
});

test('follows the present: everything while it is short, then the last part of it', () => {
  expect(following(120e9, 0)).toEqual({ from: 0, to: 15e9 });
  expect(following(120e9, 60e9).from).toBeCloseTo(0, 0);
  const late = following(120e9, 600e9);
  expect(late.to - late.from).toBe(120e9);
  expect(late.to).toBe(607.2e9);
});

test('counts what begins in each part of a view', () => {
  const items = (timeline.lanes.find(({ kind, pod }) => kind === 'call' && pod === 'n/b')?.items ?? []).map(
    (item, index) => ({ ...item, t: index }),
  );
  const many = [0, 1, 1, 6, 9].map((t) => ({ ...(items[0] as (typeof items)[0]), t }));
  const { all, bad, most } = activityOf([many], { from: 0, to: 10 }, 5);
  expect([[...all], [...bad], most]).toEqual([[3, 0, 0, 1, 1], [3, 0, 0, 1, 1], 3]);
  // Three begin in the closer view, and five in the whole one.
  expect(isDense(many, { from: 1, to: 9 }, 20)).toBe(false);
  expect(isDense(many, { from: 0, to: 10 }, 20)).toBe(true);
});

/** A container that runs for three seconds each time, and waits longer and longer. */
const crashLoop = (restarts: number, ...more: readonly Line[]) => {
  const lines = [];
  let t = 0;
  for (let attempt = 0; attempt <= restarts; attempt++) {
    const about = { pod: { name: 'a', namespace: 'n' }, container: { name: 'app', attempt } };
    lines.push({ t, kind: 'container', ...about, what: 'started' } as const);
    lines.push({ t: t + 3e9, kind: 'container', ...about, what: 'ended', exitCode: 1 } as const);
    t += 3e9 + Math.min(300e9, 10e9 * 2 ** attempt);
  }
  return readTape('x', tapeText(...lines, ...more, { t, kind: 'log', from: 'kubelet', text: 'end' }))
    .timeline;
};

test('shows the first restarts first, where all of them would be slivers', () => {
  // Few restarts are shown whole; of seven the first four, whose bars can be read.
  expect(firstViewOf([crashLoop(2)])).toEqual(wholeOf(crashLoop(2).end));
  const loop = crashLoop(7);
  const first = firstViewOf([loop]);
  expect(first.from).toBeLessThanOrEqual(0);
  expect(first.to / 1e9).toBeGreaterThan(70);
  expect(first.to).toBeLessThan(loop.end / 4);
  // Unless something else happens later.
  const acted = crashLoop(7, { t: loop.end, kind: 'step', text: 'kubelet kill' });
  expect(firstViewOf([acted])).toEqual(wholeOf(acted.end));
  expect(firstViewOf([timeline])).toEqual(wholeOf(timeline.end));
});
