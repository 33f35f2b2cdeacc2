/**
 * Writes a table of docs/results/node-e2e.md from reports of Ginkgo: `npx tsx test/peers/slow/tests-table.ts MARKER
 * COLUMN=REPORT,REPORT...`. A row for each group of tests has the numbers of passed and run tests, and their total
 * time; a second table has the tests that failed somewhere.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { table } from '../../support/markdown-table.js';

const specSchema = z.object({
  LeafNodeType: z.string(),
  LeafNodeText: z.string(),
  ContainerHierarchyTexts: z.array(z.string()).nullable(),
  State: z.string(),
  /** Nanoseconds. */
  RunTime: z.number(),
  Failure: z.object({ Message: z.string().optional() }).optional(),
});
const reportSchema = z.array(z.object({ SpecReports: z.array(specSchema).nullable() }));

interface Spec {
  readonly group: string;
  readonly name: string;
  readonly state: string;
  /** Seconds. */
  readonly time: number;
}

/** The tests that ran or skipped themselves; the others were not selected. */
function read(file: string): readonly Spec[] {
  const reports = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return reports
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(
      ({ LeafNodeType, State, Failure }) =>
        LeafNodeType === 'It' && (State !== 'skipped' || Failure?.Message),
    )
    .map(({ ContainerHierarchyTexts, LeafNodeText, State, RunTime }) => {
      const [group = '', ...rest] = ContainerHierarchyTexts ?? [];
      return {
        group: plain(group),
        name: plain([...rest, LeafNodeText].join(' ')),
        state: STATES[State] ?? 'failed',
        time: RunTime / 1e9,
      };
    });
}

/** By Ginkgo's states; a test that the time limit interrupts has no outcome. */
const STATES: Readonly<Record<string, string>> = {
  passed: 'passed',
  skipped: 'skipped',
  timedout: 'unfinished',
  interrupted: 'unfinished',
};

/** A name without the labels in brackets, with the formatter's emphasis. */
const plain = (text: string): string =>
  text
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\*(\w+)\*/g, '_$1_')
    .replace(/\s+/g, ' ')
    .trim();

function cellOf(specs: readonly Spec[]): string {
  const ran = specs.filter(({ state }) => state === 'passed' || state === 'failed');
  const passed = ran.filter(({ state }) => state === 'passed').length;
  const count = (state: string) => specs.filter((spec) => spec.state === state).length;
  const others = ['skipped', 'unfinished'].filter((state) => count(state) > 0);
  const seconds = Math.round(ran.reduce((sum, { time }) => sum + time, 0));
  if (specs.length === 0) return '';
  return [
    `${passed} of ${ran.length}`,
    ...others.map((state) => `${count(state)} ${state}`),
    `${seconds} s`,
  ].join(', ');
}

const [marker = '', ...given] = process.argv.slice(2);
const columns = given.map((column) => {
  const [name = '', files = ''] = column.split('=');
  return { name, specs: files.split(',').flatMap(read) };
});
const keyOf = ({ group, name }: Spec): string => `${group}: ${name}`;
const all = columns.flatMap(({ specs }) => specs);
const groups = [...new Set(all.map(({ group }) => group))].sort();
const failed = [...new Set(all.filter(({ state }) => state === 'failed').map(keyOf))].sort();
const summary = table([
  ['tests', ...columns.map(({ name }) => name)],
  ...groups.map((group) => [
    group,
    ...columns.map(({ specs }) => cellOf(specs.filter((spec) => spec.group === group))),
  ]),
  ['all', ...columns.map(({ specs }) => cellOf(specs))],
]);
const problems = table([
  ['failed somewhere', ...columns.map(({ name }) => name)],
  ...failed.map((key) => [
    key,
    ...columns.map(({ specs }) => specs.find((spec) => keyOf(spec) === key)?.state ?? ''),
  ]),
]);
const page = new URL('../../../docs/results/node-e2e.md', import.meta.url);
const before = readFileSync(page, 'utf8');
const section = new RegExp(`(<!-- ${marker} -->\\n\\n)[\\s\\S]*?(\\n\\n<!-- end -->)`);
if (!section.test(before)) throw new Error(`docs/results/node-e2e.md has no <!-- ${marker} -->`);
const content = failed.length === 0 ? summary : `${summary}\n\n${problems}`;
writeFileSync(
  page,
  before.replace(section, (_, begin: string, end: string) => `${begin}${content}${end}`),
);
