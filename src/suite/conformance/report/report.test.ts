import { expect, test } from 'vitest';
import { parseYaml } from '../../../base/input/yaml.js';
import { allChecks } from '../specs/index.js';
import { toDifference } from './difference.js';
import { formatOf, formats } from './formats.js';
import { toHtml } from './html.js';
import { toJunit } from './junit.js';
import { countSeverities, noteOf, worstFirst } from './notes.js';
import {
  exitCodeOf,
  type SavedReport,
  type SavedResult,
  savedReportSchema,
  saveResult,
  unusableReport,
} from './saved.js';
import { toTap } from './tap.js';
import { createTree } from './tree.js';

const result = (changes: Partial<SavedResult>): SavedResult => ({
  id: 'INV-01.lifecycle',
  group: 'sandbox',
  tag: 'spec',
  rule: 'A sandbox is READY.',
  source: 'cri-api RunPodSandbox',
  outcome: 'passed',
  duration: 12,
  left: [],
  rerun: 'mockri conformance --endpoint unix:///x --focus INV-01.lifecycle',
  ...changes,
});

const failure = {
  expected: 'READY',
  received: 'NOTREADY <b> & "quotes"',
  calls: [{ method: 'RunPodSandbox', request: '{"a":1}', outcome: 'OK {}', startedAt: 1 }],
};
const deviation = { why: 'it always did', link: 'https://example.org/#why' };

const report = (results: SavedResult[], changes: Partial<SavedReport> = {}): SavedReport => ({
  format: 'mockri-conformance/1',
  endpoint: 'unix:///x',
  profile: 'strict',
  seed: 1,
  runtime: { name: 'some', version: '1.2' },
  results,
  duration: 1234,
  left: [],
  interrupted: false,
  ...changes,
});

const all = report([
  result({}),
  result({ id: 'INV-02.a', outcome: 'failed', failure }),
  result({ id: 'INV-03.a', group: 'events', outcome: 'deviates', failure, deviation }),
  result({ id: 'INV-04.a', group: 'events', outcome: 'surprise', deviation }),
  result({
    id: 'INV-05.a',
    group: 'events',
    outcome: 'skipped',
    reason: 'GetContainerEvents is UNIMPLEMENTED',
  }),
]);

test.each([undefined, true] as const)(
  'a saved deviation says whether it depends on timing: %s',
  (sometimes) => {
    const [check = expect.fail('no checks')] = allChecks;
    const known = { check: check.id, ...deviation, ...(sometimes && { sometimes }) };
    const outcome = { kind: 'surprise', deviation: known } as const;
    const run = { endpoint: 'unix:///x', seed: 1, profile: 'strict' } as const;
    const saved = saveResult({ check, outcome, duration: 1, left: [] }, run);
    expect(saved.deviation).toEqual({ ...deviation, ...(sometimes && { sometimes }) });
  },
);

test('TAP distinguishes known deviations and skips from failures', () => {
  const lines = toTap(all).split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'TAP version 14',
    '1..5',
    '# some 1.2 at unix:///x',
    'ok 1 - INV-01.lifecycle A sandbox is READY.',
  ]);
  expect(lines).toContain('not ok 2 - INV-02.a A sandbox is READY.');
  expect(lines).toContain('  received: "NOTREADY <b> & \\"quotes\\""');
  expect(lines.find((line) => line.includes('INV-03.a'))).toMatch(
    /^not ok 3 .* # TODO known deviation: it always did/,
  );
  expect(lines).toContain('ok 5 - INV-05.a A sandbox is READY. # SKIP GetContainerEvents is UNIMPLEMENTED');
});

test('JUnit has one suite per group, and counts a known deviation as skipped', () => {
  const xml = toJunit(all);
  expect(xml).toContain(
    '<testsuites name="some 1.2" tests="5" failures="1" errors="0" skipped="2" time="1.234">',
  );
  expect(xml).toContain(
    '<testsuite name="events" tests="3" failures="0" errors="0" skipped="2" time="0.036">',
  );
  expect(xml).toContain('NOTREADY &lt;b&gt; &amp; &quot;quotes&quot;');
});

test('JUnit output contains only characters that XML allows', () => {
  const odd = { ...failure, received: 'bell \u0007, half \ud83d, whole 🐳' };
  const xml = toJunit(report([result({ outcome: 'failed', failure: odd })]));
  expect(xml).toContain('bell \ufffd, half \ufffd, whole 🐳');
});

test('compare reads the JSON output', () => {
  expect(parseYaml(formats.json(all), savedReportSchema, 'a.json')).toEqual(all);
  expect(() => parseYaml('{"format": "other"}', savedReportSchema, 'a.json')).toThrow(/a\.json:1:2: format/);
});

test('the HTML page has one column per runtime and is self-contained', () => {
  const other = report([result({ outcome: 'failed', failure })], {
    runtime: { name: 'other', version: '2' },
  });
  const html = toHtml([all, other]);
  expect(html.match(/<th scope="col"/g)).toHaveLength(3);
  expect(html).toContain('class="check differs bad bad-lost" id="INV-01.lifecycle"');
  expect(html).toContain('not run');
  expect(html).not.toMatch(/<(link|img|script) [^>]*(src|href)=|@import|url\(/);
  expect(html).not.toContain('<b>');
});

test('the page shows failures first, and tells two runs of one runtime apart', () => {
  const again = report([result({ id: 'INV-02.a' })], {
    endpoint: 'unix:///y',
    startedAt: '2026-01-02T03:04:05.678Z',
  });
  const html = toHtml([all, again]);
  const at = (text: string) => html.indexOf(text);
  expect(at('id="INV-02.a"')).toBeGreaterThan(0);
  expect(at('id="INV-02.a"')).toBeLessThan(at('id="INV-01.lifecycle"'));
  expect(html.match(/id="INV-02.a"|#INV-02.a"/g)).toHaveLength(2);
  expect(html).toContain('@media (max-width: 40rem)');
  expect(html).toContain('some 1.2\n<small>unix:///x<br>');
  expect(html).toContain('some 1.2\n<small>unix:///y, 2026-01-02 03:04:05 UTC<br>');
});

test('reports have a date', () => {
  const dated = report([result({})], { startedAt: '2026-01-02T03:04:05.678Z' });
  expect(JSON.parse(formats.json(dated))).toMatchObject({ startedAt: '2026-01-02T03:04:05.678Z' });
  expect(toJunit(dated)).toContain('timestamp="2026-01-02T03:04:05.678Z"');
});

test('the exit code distinguishes a broken rule from a run that was not possible', () => {
  expect(exitCodeOf(report([result({})]))).toBe(0);
  expect(exitCodeOf(all)).toBe(1);
  expect(exitCodeOf(report([result({})], { left: ['sandbox x'] }))).toBe(1);
  expect(exitCodeOf(report([result({})], { interrupted: true }))).toBe(2);
  expect(exitCodeOf(report([result({})], { incomplete: '3 checks were not judged' }))).toBe(2);
  expect(exitCodeOf(unusableReport('unix:///x', 1, 'nobody there'))).toBe(2);
});

test('every format reports a runtime that stopped responding', () => {
  const incomplete = '3 checks were not judged: gone';
  const cut = report([result({})], { incomplete });
  expect(toTap(cut)).toContain(`Bail out! ${incomplete}`);
  expect(toJunit(cut)).toContain(`<error message="${incomplete}"/>`);
  expect(formats.html(cut)).toContain(incomplete);
  expect(formats.json(cut)).toContain(`"incomplete": "${incomplete}"`);
});

test('every format reports an endpoint that could not be tested', () => {
  const dead = unusableReport('unix:///x', 1, 'nobody there');
  expect(toTap(dead)).toContain('Bail out! nobody there');
  expect(toJunit(dead)).toContain('<error message="nobody there"/>');
  expect(formats.html(dead)).toContain('nobody there');
  expect(formats.json(dead)).toContain('"unusable": "nobody there"');
});

test('the tree shows a group once it is complete, and the failures at the end', () => {
  let text = '';
  let line = '';
  const progress = {
    show: (given: string) => {
      line = given;
    },
    clear: () => {
      line = '';
    },
  };
  const tree = createTree({ write: (part) => (text += part) }, { color: false, progress });
  const checks = all.results.map((one) => ({ ...one, run: async () => {} }));
  tree.start('some 1.2', checks as never);
  tree.result(all.results[0] as SavedResult);
  expect(text).toBe('some 1.2\n');
  expect(line).toMatch(/ 1\/\d+ {2}0 failed /);
  tree.result(all.results[1] as SavedResult);
  expect(text).toContain('sandbox\n  ✓ INV-01.lifecycle');
  expect(text).not.toContain('events');
  for (const one of all.results.slice(2)) tree.result(one);
  tree.end(all);
  expect(line).toBe('');
  expect(text).toContain('1) INV-02.a\n   rule:      A sandbox is READY.\n');
  expect(text).toContain(
    '1 passed, 1 failed, 1 known deviations, 1 passed unexpectedly, 1 skipped (1 lost) in 1.2 s\n',
  );
});

test('failures are shown worst first, and a deviation that is gone with what to do', () => {
  const failed = ['INV-11.invalid', 'INV-18.containers', 'INV-60.ends-at-once'].map((id) =>
    result({ id, outcome: 'failed', failure }),
  );
  const gone = result({ id: 'INV-36.one-id', outcome: 'surprise', deviation });
  expect(worstFirst([...failed, gone]).map(({ id }) => id)).toEqual(failed.map(({ id }) => id).reverse());
  expect(countSeverities([...failed, gone])).toBe('1 lost, 1 status, 1 text');
  expect(noteOf(gone)).toMatch(
    /^passes, although .*it always did\. To do: run --focus INV-36\.one-id --repeat 20/,
  );
  const html = toHtml([report([...failed, gone])]);
  expect(html).toContain('failures: a text, a code or a format differs');
  expect(html).toContain('To do: run --focus INV-36.one-id');
});

test.each([
  ['a/b.xml', 'junit'],
  ['b.tap', 'tap'],
  ['b.txt', undefined],
])('%s is written as %s', (file, format) => expect(formatOf(file)).toBe(format));

test('what differs between reports is printed with what each says, and nothing else', () => {
  const before = report([result({}), result({ id: 'INV-02.a' })]);
  const after = report([
    result({}),
    result({ id: 'INV-02.a', outcome: 'failed', failure }),
    result({ id: 'INV-03.a' }),
  ]);
  expect(toDifference([before, after])).toBe(`1: some 1.2
2: some 1.2
INV-02.a: 1 passed, 2 failed
    A sandbox is READY.
INV-03.a: 1 not run, 2 passed
    A sandbox is READY.
2 checks differ
`);
  expect(toDifference([before, before])).toMatch(/\n0 checks differ\n$/);
});

test('a badge has the rules that hold of those that were judged', () => {
  const badge = formats.badge(all);
  expect(badge).toContain('aria-label="CRI some: 2 of 4 rules"');
  expect(badge).toContain('#cf222e');
  expect(formats.badge(report([result({})]))).toContain('#1a7f37');
  expect(formats.badge(report([], { incomplete: '3 checks were not judged' }))).toContain('not judged');
  expect(formatOf('badge.svg')).toBe('badge');
});
