import { counted } from '../../base/input/counted.js';
import type { Aspect } from './compare.js';
import type { Find } from './finds.js';
import type { Known } from './known.js';
import { lengthOf, showStep } from './steps.js';

/** A kind of difference, ready to be shown. */
export interface ReportedKind {
  readonly method: string;
  readonly aspect: Aspect;
  /** Path of the field; empty where the whole answer differs. */
  readonly field: string;
  readonly left: string;
  readonly right: string;
  /** The calls that show it, a step each. */
  readonly steps: readonly string[];
  /** Number of calls. */
  readonly calls: number;
  /** Random sequences in which it showed. */
  readonly count: number;
  /** Whether the sequence could be shortened no further; false after an interruption. */
  readonly isShortest: boolean;
}

/** The result of a comparison. */
export interface DiffReport {
  /** The names of the two runtimes. */
  readonly runtimes: readonly [string, string];
  readonly image: string;
  readonly seed: number;
  /** Sequences that were run, of those that were asked for. */
  readonly sequences: number;
  readonly wanted: number;
  readonly seconds: number;
  readonly kinds: readonly ReportedKind[];
  /** Known differences, and in how many sequences each showed. */
  readonly known: readonly { readonly why: string; readonly count: number }[];
  /** Kinds that did not show again when their sequence was repeated: results of chance. */
  readonly unsteady: number;
  /** What could not be removed. */
  readonly leftovers: readonly string[];
}

/** A find as a report has it. */
export function reportFind({ difference, sequence, count }: Find, isShortest: boolean): ReportedKind {
  const { method, aspect, field, left, right } = difference;
  const steps = sequence.map(showStep);
  return { method, aspect, field, left, right, steps, calls: lengthOf(sequence), count, isShortest };
}

/** The known differences of a file with the number of sequences that showed each. */
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

/** The report as text. */
export function* showReport(report: DiffReport): Generator<string> {
  const { kinds, known, unsteady, sequences, wanted, seconds, leftovers, seed } = report;
  for (const [index, kind] of kinds.entries()) yield* showKind(index + 1, kind);
  for (const { why, count } of known) yield `known (${counted(count, 'time')}): ${why}`;
  for (const left of leftovers) yield `could not be removed: ${left}`;
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
  yield `   - ${left}`;
  yield `   + ${right}`;
}
