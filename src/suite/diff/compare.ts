import { rpcOf } from './catalog/index.js';
import { compareJson } from './compare-json.js';
import type { Sequence, Step } from './steps.js';
import type { EventTrace, NormalOutcome, StatusTrace, StepTrace, Trace } from './trace.js';

/**
 * `outcome`: one succeeds and one fails. `code`, `text`: of two failures. `reply`: a field of two replies. `state`: a
 * field of the status after a call. `events`: of one object.
 */
export const aspects = ['outcome', 'code', 'text', 'reply', 'state', 'events'] as const;
export type Aspect = (typeof aspects)[number];

export interface TraceDifference {
  /** The RPC whose reply, status or events differ. */
  readonly method: string;
  readonly aspect: Aspect;
  /** Path of a field in a reply; empty for other aspects. */
  readonly field: string;
  /** The values of both runtimes, in normal form. */
  readonly left: string;
  readonly right: string;
  /** Index of the step after which it shows. */
  readonly step: number;
}

/** Equal for differences of one kind; ignores the object, its name, and the field's position. */
export const kindOf = ({ method, aspect, field, left, right }: TraceDifference): string =>
  [method, aspect === 'state' ? 'reply' : aspect, field, ...valuesOf(left, right)]
    .join('\n')
    .replace(/<([pc])\d+(\(\d+\))?…?>/g, '<$1>')
    .replace(/"[^"\n]*#[^"\n]*"/g, '"<name>"');

/** If only one side has a field, its value doesn't matter. */
const valuesOf = (left: string, right: string): readonly string[] => [
  right === 'none' ? 'some' : left,
  left === 'none' ? 'some' : right,
];

/** Returns all differences up to the first call that changes only one runtime: later differences are consequences. */
export function compareTraces(sequence: Sequence, left: Trace, right: Trace): readonly TraceDifference[] {
  const found: TraceDifference[] = [];
  const count = Math.min(left.steps.length, right.steps.length);
  for (let step = 0; step < count; step++) {
    const [one, other] = [left.steps[step] as StepTrace, right.steps[step] as StepTrace];
    const differences = compareStep(sequence[step] as Step, one, other).map((difference) => ({
      ...difference,
      step,
    }));
    found.push(...differences);
    if (differences.some(isParting)) return found;
  }
  // An interrupted sequence has not shown all its events.
  if (count < sequence.length) return found;
  const last = { step: sequence.length - 1 };
  if (left.subscriber !== right.subscriber)
    found.push({ ...last, ...events, left: left.subscriber ?? '', right: right.subscriber ?? '' });
  if (left.events !== undefined && right.events !== undefined)
    for (const [alias, list] of left.events)
      found.push(...compareEvents(list, right.events.get(alias) ?? []).map((each) => ({ ...last, ...each })));
  return found;
}

type Found = Omit<TraceDifference, 'step'>;

const events = { method: 'GetContainerEvents', aspect: 'events', field: '' } as const;

/** Whether the two runtimes are in different states from here on. */
const isParting = ({ method, aspect, field }: Found): boolean =>
  (aspect === 'outcome' && rpcOf(method).changes) ||
  (aspect === 'state' && /^(status(\.state)?)?$/.test(field));

function compareStep({ calls }: Step, left: StepTrace, right: StepTrace): readonly Found[] {
  const method = calls[0]?.method ?? '';
  return [
    ...left.outcomes.flatMap((outcome, index) =>
      compareOutcomes(method, 'reply', outcome, right.outcomes[index] as NormalOutcome),
    ),
    ...compareObservations(left.observations, right.observations),
  ];
}

function compareOutcomes(
  method: string,
  aspect: 'reply' | 'state',
  left: NormalOutcome,
  right: NormalOutcome,
): readonly Found[] {
  if ('reply' in left && 'reply' in right)
    return compareJson(left.reply, right.reply).map(({ path, ...values }) => ({
      method,
      aspect,
      field: path,
      ...values,
    }));
  const texts = { left: showOutcome(left), right: showOutcome(right) };
  if ('reply' in left || 'reply' in right)
    return [{ method, aspect: aspect === 'reply' ? 'outcome' : aspect, field: '', ...texts }];
  if (left.code !== right.code) return [{ method, aspect: 'code', field: '', ...texts }];
  return left.details === right.details ? [] : [{ method, aspect: 'text', field: '', ...texts }];
}

/** `OK`, or `NOT_FOUND: no such container`. */
const showOutcome = (outcome: NormalOutcome): string =>
  'reply' in outcome ? 'OK' : `${outcome.code}: ${outcome.details}`;

/** Compares only objects that both runtimes have: a missing one already counts as a different outcome. */
function compareObservations(left: readonly StatusTrace[], right: readonly StatusTrace[]): readonly Found[] {
  return left.flatMap(({ method, of, outcome }) => {
    const other = right.find((each) => each.of === of);
    return other === undefined ? [] : compareOutcomes(method, 'state', outcome, other.outcome);
  });
}

/** The first different event, with its predecessor. */
function compareEvents(left: readonly EventTrace[], right: readonly EventTrace[]): readonly Found[] {
  const index = left.findIndex((event, at) => !isSame(event, right[at]));
  const at = index >= 0 ? index : left.length;
  if (index < 0 && left.length === right.length) return [];
  const before = at === 0 ? 'first' : `after ${left[at - 1]?.type}`;
  return [
    { ...events, left: `${before}: ${showEvent(left[at])}`, right: `${before}: ${showEvent(right[at])}` },
  ];
}

const isSame = (left: EventTrace, right: EventTrace | undefined): boolean =>
  showEvent(left) === showEvent(right);

const showEvent = (event: EventTrace | undefined): string =>
  event === undefined ? 'none' : `${event.type} with state ${event.state} in pod ${event.podState}`;
