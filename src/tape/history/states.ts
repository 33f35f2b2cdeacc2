import type { stateNames } from '../world/shown.js';

/** States in order; `absent` comes before and after. */
export type ObjectState = (typeof stateNames)[keyof typeof stateNames][number] | 'present' | 'absent';

/** Start of a state, in ns since the tape's start. */
export interface Span {
  readonly from: number;
  readonly state: ObjectState;
}

/** Evidence of an object's state at a time: a reply with the state, or a call that changed it. */
export interface Mark extends Span {
  /** Start of the state, if the reply has it: a container's startedAt or finishedAt. */
  readonly began?: number | undefined;
  readonly cause?: number | undefined;
}

/** Containers and sandboxes pass through their states once, from left to right. */
const ORDER: readonly ObjectState[] = ['created', 'running', 'exited', 'absent'];
const SANDBOX_ORDER: readonly ObjectState[] = ['ready', 'notready', 'absent'];

/** Derives when an object was in which state. `isNew`: the tape has its creation, so it was absent before. */
export function spansOf(marks: readonly Mark[], kind: 'pod' | 'container' | 'other', isNew: boolean): Span[] {
  const sorted = [...marks].sort((a, b) => a.from - b.from);
  const before: Span = { from: Number.NEGATIVE_INFINITY, state: 'absent' };
  if (kind === 'other') return [...sorted.slice(0, 1).map(fromTheStart), ...changes(sorted)];
  const order = kind === 'pod' ? SANDBOX_ORDER : ORDER;
  const spans: Span[] = [];
  for (const state of order) {
    const own = sorted.find((mark) => mark.state === state);
    if (own === undefined) continue;
    const says = sorted.find((mark) => mark.state === state && mark.began !== undefined)?.began;
    const cause = sorted.find((mark) => mark.state === state && mark.cause !== undefined)?.cause;
    const from = afterCause(Math.min(own.from, says ?? own.from), cause);
    spans.push({ from: Math.max(from, spans.at(-1)?.from ?? from), state });
  }
  if (isNew) return [before, ...spans];
  const [first] = spans;
  return first === undefined ? [] : [fromTheStart(first), ...spans.slice(1)];
}

/** How much earlier than its cause a state may begin, in ns: times of one instant differ only by their lines. */
const INSTANT = 20_000;

const afterCause = (from: number, cause: number | undefined): number =>
  cause !== undefined && from < cause && cause - from < INSTANT ? cause : from;

const fromTheStart = ({ state }: Span): Span => ({ from: Number.NEGATIVE_INFINITY, state });

const changes = (marks: readonly Mark[]): Span[] =>
  marks.filter(({ state }, index) => state !== marks[index - 1]?.state).slice(1);
