import { counted } from '../../base/input/counted.js';
import { legendOf, sidesOf } from '../../base/markup/sides.js';
import type { Aspect, TraceDifference } from './compare.js';
import type { Find } from './finds.js';
import type { Known } from './known.js';
import { lengthOf, showStep } from './steps.js';

export interface ReportedKind extends Omit<TraceDifference, 'step'> {
  /** The calls that show it, one line for each step. */
  readonly steps: readonly string[];
  readonly calls: number;
  /** Random sequences with this kind. */
  readonly count: number;
  /** Whether the sequence can't be shortened further; false after an interruption. */
  readonly isShortest: boolean;
}

export interface DiffReport {
  readonly runtimes: readonly [string, string];
  readonly image: string;
  readonly seed: number;
  /** Sequences that ran, and requested ones. */
  readonly sequences: number;
  readonly wanted: number;
  readonly seconds: number;
  readonly kinds: readonly ReportedKind[];
  /** Known differences with their numbers of sequences. */
  readonly known: readonly { readonly why: string; readonly count: number }[];
  /** Kinds that did not occur again when their sequence was repeated: chance. */
  readonly unsteady: number;
  readonly leftovers: readonly string[];
}

export function reportFind({ difference, sequence, count }: Find, isShortest: boolean): ReportedKind {
  const { method, aspect, field, left, right } = difference;
  const steps = sequence.map(showStep);
  return { method, aspect, field, left, right, steps, calls: lengthOf(sequence), count, isShortest };
}

/** The known differences of a file with their numbers of sequences. */
export const reportKnown = (known: readonly Known[], counts: ReadonlyMap<Known, number>) =>
  known.map((each) => ({ why: each.why, count: counts.get(each) ?? 0 }));

const TITLES: Readonly<Record<Aspect, string>> = {
  outcome: 'one succeeds, one fails',
  code: 'another code',
  text: 'another text',
  reply: 'another reply',
  state: 'another state afterwards',
  events: 'other events',
};

export function* showReport(report: DiffReport): Generator<string> {
  const { kinds, known, unsteady, sequences, wanted, seconds, leftovers, seed } = report;
  const [left, right] = report.runtimes;
  if (kinds.length > 0) yield legendOf(`<a>, ${left}`, `<b>, ${right}`);
  for (const [index, kind] of kinds.entries()) yield* showKind(index + 1, kind);
  for (const { why, count } of known) yield `known (${counted(count, 'time')}): ${why}`;
  for (const each of leftovers) yield `could not be removed: ${each}`;
  const more = unsteady > 0 ? `, ${unsteady} more did not show again` : '';
  const of = sequences === wanted ? `${sequences}` : `${sequences} of ${wanted}`;
  const found = kinds.length === 0 ? 'no difference' : `${counted(kinds.length, 'kind')} of difference`;
  yield `${found}${more} in ${of} sequences with seed ${seed}, ${seconds.toFixed(0)} s`;
}

function* showKind(number: number, kind: ReportedKind): Generator<string> {
  const { method, aspect, field, left, right, steps, count, isShortest } = kind;
  yield `${number}) ${method}: ${TITLES[aspect]}${field === '' ? '' : ` in ${field}`} (${counted(count, 'time')})`;
  for (const step of steps) yield `     ${step}`;
  if (aspect === 'events') yield '     and the removal of all pods';
  if (!isShortest) yield '     (not shortened)';
  yield* sidesOf(left, right, '   ');
}
