import { clockText } from '../../scenario/output/clock-text.js';
import type { Simulation } from '../../scenario/run/run.js';
import type { Observation } from '../observation.js';
import { laterBy } from '../window.js';
import { type Drift, drifted, driftOf } from './drift.js';
import { matchEvents } from './events.js';
import { movedBy, placementsOf } from './placements.js';
import { matchContainers, matchEnds, matchLog, type PartMatch } from './rest.js';
import { nodeStates, shownNode, shownOf, statesByPod, withRestartsOf } from './seen-states.js';
import { matchTimeline, type SeenState, type TimelineMatch } from './timeline.js';

export interface Fit {
  readonly score: number;
  /** When the two first disagree, in seconds; Infinity if never. */
  readonly deviation: number;
  readonly unexplained: readonly string[];
}

const WEIGHTS = { rows: 4, events: 2, node: 2, log: 1, containers: 2, ends: 2 } as const;

/** Compares an observation with a run that ends after `end` seconds. Without a known time, uses the best position. */
export function fitOf(seen: Observation, run: Simulation, end: number): Fit {
  const fits = placementsOf(seen, run).map((by) =>
    by === 0 ? placedFit(seen, run, end) : placedFit(movedBy(seen, by), run, Math.min(end, seen.end + by)),
  );
  return fits.reduce((best, each) => (each.score > best.score ? each : best));
}

function placedFit(seen: Observation, run: Simulation, end: number): Fit {
  const parts = partsOf(seen, run, end);
  const total = parts.reduce((sum, { weight, part }) => sum + weight * part.weight, 0);
  const score = parts.reduce((sum, { weight, part }) => sum + weight * part.weight * part.score, 0);
  return {
    score: total === 0 ? 0 : score / total,
    deviation: Math.min(...parts.map(({ part }) => part.deviation)),
    unexplained: parts.flatMap(({ part }) => part.unexplained),
  };
}

interface WeighedPart {
  readonly weight: number;
  readonly part: PartMatch;
}

function partsOf(seen: Observation, run: Simulation, end: number): WeighedPart[] {
  const drifts = new Map<string, Drift>();
  const rows = [...statesByPod(seen)].map(([pod, states]): WeighedPart => {
    const shown = shownOf(run, pod, end);
    const counted = seen.shift > 0 ? withRestartsOf(states, shown) : states;
    const drift = driftOf(counted, shown);
    drifts.set(pod, drift);
    const match = matchTimeline(counted, drifted(shown, drift));
    return { weight: WEIGHTS.rows, part: timelinePart(match, `pod ${pod}`) };
  });
  const moved = <T extends { readonly pod: string; readonly t: number }>(list: readonly T[]): T[] =>
    list.map((each) => ({ ...each, t: drifts.get(each.pod)?.(each.t) ?? each.t }));
  const events = moved(run.events);
  const until = end - laterBy(seen);
  const node = nodeStates(seen.nodes);
  return [
    ...rows,
    { weight: WEIGHTS.events, part: eventsPart(seen, events, until) },
    ...(node.length === 0
      ? []
      : [{ weight: WEIGHTS.node, part: timelinePart(matchTimeline(node, shownNode(run, end)), 'node') }]),
    { weight: WEIGHTS.log, part: matchLog(seen.log, run, end) },
    { weight: WEIGHTS.containers, part: matchContainers(seen.containers, run, end) },
    { weight: WEIGHTS.ends, part: matchEnds(seen.ends, moved(run.containerEvents)) },
  ];
}

const timelinePart = ({ unexplained, ...rest }: TimelineMatch, of: string): PartMatch => ({
  ...rest,
  unexplained: unexplained.map((state) => `${of}: ${stateText(state)}`),
});

function stateText({ first, ready, status, restarts }: SeenState): string {
  const time = first === undefined ? '' : ` at ${clockText(Math.max(0, first.from))}`;
  return [ready, status, ...(restarts > 0 ? [`with RESTARTS ${restarts}`] : [])].join(' ').trim() + time;
}

function eventsPart(seen: Observation, events: Simulation['events'], end: number): PartMatch {
  const { unexplained, surplus, ...rest } = matchEvents(seen, events, end);
  return {
    ...rest,
    weight: seen.events.length === 0 ? 0 : rest.weight,
    unexplained: [
      ...unexplained.map(
        ({ reason, message, count }) => `event ${reason}${count > 1 ? ` (${count} times)` : ''}: ${message}`,
      ),
      ...surplus.map((reason) => `no event ${reason} was seen`),
    ],
  };
}
