import type { Apart } from './apart-again.js';
import type { Case } from './cases.js';
import { lookedAt } from './looked-at.js';
import { type Viewing, viewings } from './texts.js';

/** One question and its answer, as measured. */
export interface Row {
  readonly name: string;
  readonly kind: Case['kind'];
  readonly viewing: Viewing;
  readonly isHidden: boolean;
  readonly place: number;
  readonly answers: readonly {
    readonly key: string;
    readonly fit: number;
    readonly version: string;
    readonly text: string;
  }[];
  readonly runs: number;
  readonly seconds: number;
  readonly apart: Apart;
}

/** The questions by their names in the tables. */
const groups: readonly { readonly name: string; readonly has: (row: Row) => boolean }[] = [
  { name: 'incidents', has: ({ kind, isHidden }) => kind === 'incident' && !isHidden },
  {
    name: 'of these, not looked at',
    has: ({ kind, isHidden, name }) => kind === 'incident' && !isHidden && !lookedAt.has(name),
  },
  { name: 'findings', has: ({ kind, isHidden }) => kind === 'finding' && !isHidden },
  { name: 'fault does not show', has: ({ kind, isHidden }) => kind !== 'no fault' && isHidden },
  { name: 'no fault', has: ({ kind }) => kind === 'no fault' },
];

/** Fills the page's tables with these rows. */
export const withTables = (page: string, rows: readonly Row[]): string =>
  withPart(withPart(page, 'rates', ratesTable(rows)), 'questions', questionsTable(rows));

function withPart(page: string, name: string, table: string): string {
  const [begin, end] = [
    `<!-- ${name}: made by test/reproduce/blind/measure.ts -->`,
    `<!-- end of ${name} -->`,
  ];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < 0) throw new Error(`no place for ${name}`);
  return `${page.slice(0, from + begin.length)}\n\n${table}\n\n${page.slice(to)}`;
}

function ratesTable(rows: readonly Row[]): string {
  const lines = groups.flatMap(({ name, has }) =>
    viewings.map((viewing) => {
      const own = rows.filter((row) => has(row) && row.viewing === viewing);
      const pairs = sum(own, ({ apart }) => apart.pairs);
      return [
        name,
        viewing,
        `${own.length}`,
        rate(own, ({ place }) => place === 1),
        rate(own, ({ place }) => place > 0 && place <= 3),
        own.length === 0 ? '' : (sum(own, ({ seconds }) => seconds) / own.length).toFixed(0),
        own.length === 0 ? '' : Math.max(...own.map(({ seconds }) => seconds)).toFixed(0),
        pairs === 0 ? '' : `${sum(own, ({ apart }) => apart.differ)} of ${pairs}`,
      ];
    }),
  );
  return markdown(
    ['what', 'seen', 'asked', 'first', 'among three', 'mean CPU s', 'most CPU s', 'told apart'],
    lines.filter(([, , count]) => count !== '0'),
  );
}

const sum = (rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);

function rate(rows: readonly Row[], is: (row: Row) => boolean): string {
  const count = rows.filter(is).length;
  return rows.length === 0 ? '' : `${count} (${Math.round((100 * count) / rows.length)} %)`;
}

/** Of questions without a fault, lists only those with another answer. */
function questionsTable(rows: readonly Row[]): string {
  const names = [...new Set(rows.map(({ name }) => name))];
  const lines = names.flatMap((name) => {
    const own = viewings.map((viewing) => rows.find((row) => row.name === name && row.viewing === viewing));
    const shown =
      own.find((row) => row !== undefined && row.place !== 1) ?? own.find((row) => row !== undefined);
    if (shown === undefined) return [];
    if (shown.kind === 'no fault' && own.every((row) => row === undefined || row.place === 1)) return [];
    const [first] = shown.answers;
    const places = own.map((row) =>
      row === undefined
        ? ''
        : `${row.place || '–'}${row.isHidden && row.kind !== 'no fault' ? ' (does not show)' : ''}`,
    );
    return [[`\`${name}\``, ...places, first?.key || 'no fault', (first?.fit ?? 0).toFixed(2)]];
  });
  return markdown(['run', ...viewings, 'first answer', 'fit'], lines);
}

/** A table with columns of equal width, as the formatter writes it. */
function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((each, at) =>
    Math.max(3, each.length, ...rows.map((row) => (row[at] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join(
    '\n',
  );
}
