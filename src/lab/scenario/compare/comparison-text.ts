import { inColumns } from '../../../base/markup/columns.js';
import { clockText } from '../output/clock-text.js';
import type { Comparison } from './comparison.js';

/** Table with a column for each group of equal runs. Differing rows begin with `*`. */
export function comparisonLines({ columns, rows, events, changes }: Comparison): string[] {
  const names = columns.map(columnName);
  const table = rows.map(({ pod, ready, status, restarts, times, differs }) => [
    differs ? '*' : '',
    pod,
    ready,
    status,
    String(restarts),
    ...times.map((time) => (time === null ? '-' : clockText(time))),
  ]);
  const counted = events.map(({ pod, reason, message, counts }) => [
    '*',
    pod,
    ...counts.map((count) => `${count}×`),
    `${reason}: ${message}`,
  ]);
  const [first = ''] = names;
  return [
    ...inColumns([['', 'NAME', 'READY', 'STATUS', 'RESTARTS', ...names], ...table]),
    '',
    ...(columns.length === 1 ? [`All are equal: ${first}.`] : legend(rows.some(({ differs }) => differs))),
    ...(counted.length > 0
      ? ['', 'Events that differ:', ...inColumns([['', 'NAME', ...names, 'EVENT'], ...counted])]
      : []),
    ...(changes.length > 0
      ? [
          '',
          'What changed in the kubelet:',
          ...changes.map(({ version, what }) => `  ${version}  ${what.join('; ')}`),
        ]
      : []),
  ];
}

const legend = (differs: boolean): string[] => [
  differs ? '*: not in all columns, or more than 1.5s apart; -: missing.' : 'The rows are equal.',
];

/** `1.28..1.31` for successive versions, `periodSeconds=1,5` for values of a field, otherwise a list. */
export function columnName(names: readonly string[]): string {
  const [first = '', ...rest] = names;
  const field = first.slice(0, first.indexOf('=') + 1);
  if (field !== '' && names.every((name) => name.startsWith(field)))
    return `${field}${names.map((name) => name.slice(field.length)).join(',')}`;
  const last = rest.at(-1);
  const minors = names.map((name) => /^1\.(\d+)$/.exec(name)?.[1]).map(Number);
  const isRange = minors.every((minor, index) => index === 0 || minor === (minors[index - 1] ?? 0) + 1);
  return last !== undefined && isRange && names.length > 2 ? `${first}..${last}` : names.join(',');
}
