import type { SimulatedNodeState, SimulatedRow, Simulation } from '../../scenario/run/run.js';
import type { Observation, PlacedNode, PlacedRow } from '../observation.js';
import type { Shown } from './state-match.js';
import type { SeenState } from './timeline.js';

export function statesByPod({ rows }: Pick<Observation, 'rows'>): Map<string, SeenState[]> {
  const byPod = new Map<string, SeenState[]>();
  for (const row of rows) {
    const states = byPod.get(row.pod) ?? [];
    join(states, row);
    byPod.set(row.pod, states);
  }
  for (const [pod, states] of byPod) byPod.set(pod, withoutFirstMoment(states));
  return byPod;
}

/** A pod is Pending until its first sync, for at most this many seconds, so whether somebody observes it is chance. */
const FIRST_SYNC = 5;

function withoutFirstMoment(states: readonly SeenState[]): SeenState[] {
  const [first, next] = states;
  const isMoment = first?.status === 'Pending' && next?.first !== undefined && next.first.from <= FIRST_SYNC;
  return isMoment ? states.slice(1) : [...states];
}

/** Drops states before the restart count that a run can reach, because no run repeats earlier restarts. */
export function withRestartsOf(states: readonly SeenState[], shown: readonly Shown[]): SeenState[] {
  const [first] = states;
  if (first === undefined) return [];
  const { from, to } = first.first ?? { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const then = shown.filter((each) => each.from <= to && each.to >= from);
  const alike = ({ status, ready }: Shown) => status === first.status && ready === first.ready;
  // A row without a time, as of describe, is the latest of them.
  const same = (first.first === undefined ? then.findLast(alike) : then.find(alike)) ?? then[0];
  const before = same === undefined ? 0 : Math.max(0, first.restarts - same.restarts);
  return states.map((each) => ({ ...each, restarts: each.restarts - before }));
}

export function nodeStates(nodes: readonly PlacedNode[]): SeenState[] {
  const states: SeenState[] = [];
  for (const { isReady, time } of nodes) join(states, { ...nodeState(isReady), time });
  return states;
}

const nodeState = (isReady: boolean) => ({ ready: '', status: isReady ? 'Ready' : 'NotReady', restarts: 0 });

function join(states: SeenState[], row: Omit<PlacedRow, 'pod'>): void {
  const { ready, status, restarts, restarted: ago, time, until = time } = row;
  const before = states.at(-1);
  const isSame = before?.ready === ready && before.status === status && before.restarts === restarts;
  if (isSame)
    states[states.length - 1] = { ...before, first: before.first ?? time, last: until ?? before.last };
  else {
    const restarted = time && ago && { from: time.from - ago.to, to: time.to - ago.from };
    states.push({ ready, status, restarts, restarted, first: time, last: until });
  }
}

export function shownOf(run: Simulation, pod: string, end: number): Shown[] {
  const rows = run.rows.filter((row) => row.pod === pod);
  const gone = run.pods.find((each) => each.pod === pod && each.what === 'gone')?.t ?? end;
  return spansOf(rows, gone);
}

export const shownNode = (run: Simulation, end: number): Shown[] =>
  spansOf(
    run.nodes.map(({ t, ready }: SimulatedNodeState) => ({ t, ...nodeState(ready === 'True') })),
    end,
  );

function spansOf(
  rows: readonly Pick<SimulatedRow, 't' | 'ready' | 'status' | 'restarts'>[],
  end: number,
): Shown[] {
  const spans: { -readonly [K in keyof Shown]: Shown[K] }[] = [];
  for (const { t, ready, status, restarts } of rows) {
    const before = spans.at(-1);
    if (before !== undefined) before.to = t;
    const isSame = before?.ready === ready && before.status === status && before.restarts === restarts;
    if (isSame) before.to = end;
    else spans.push({ from: t, to: Math.max(t, end), ready, status, restarts });
  }
  return spans;
}
