import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { certain } from '../axis.js';
import { statesByPod } from '../distance/seen-states.js';
import { middle, type Span } from '../facts.js';
import type { Observation, PlacedEvent, SeenDeletion } from '../observation.js';

export interface Deletions {
  readonly steps: LoadedScenario['timeline'];
  readonly guesses: readonly string[];
}

/** Deletes pods when they were first seen terminating, unless the scenario says when. */
export function guessDeletions({ timeline }: LoadedScenario, { deleted }: Observation): Deletions {
  if (timeline.some(({ do: action }) => action.removePod !== undefined)) return { steps: [], guesses: [] };
  const found = deleted.flatMap(({ pod, time, why }) =>
    time === undefined ? [] : [{ pod, why, at: Math.max(0, Math.round(middle(time) * 10) * 100) }],
  );
  return {
    steps: found.map(({ pod, at }) => ({ at, do: { removePod: pod } })),
    guesses: found.map(({ pod, at, why }) => `pod ${pod} is deleted at ${at / 1000}s, because ${why}`),
  };
}

/** Deletions shown by a status, rows or events, except of pods that the node evicts. */
export function deletionsOf(seen: Observation): SeenDeletion[] {
  const isEvicted = seen.events.some(({ reason }) => EVICTED.test(reason)) || isLongNotReady(seen);
  if (isEvicted) return [];
  const pods = [...seen.rows, ...seen.events, ...seen.deleted].map(({ pod }) => pod);
  return [...new Set(pods)].filter((pod) => pod !== '').flatMap((pod) => deletionOf(pod, seen));
}

const EVICTED = /^(?:TaintManagerEviction|Evicted|Preempted|Preempting|NodeShutdown)$/;

function deletionOf(pod: string, seen: Observation): SeenDeletion[] {
  const told = seen.deleted.filter((each) => each.pod === pod);
  const all = [...told, ...byRows(pod, seen), ...byEvents(pod, seen), ...byLateRow(pod, seen)];
  const [first, ...more] = all.map((each) => ({ ...each, time: each.time && certain(each.time) }));
  if (first === undefined) return [];
  const time = more.reduce((span, each) => overlap(span, each.time), first.time);
  return [{ ...first, time }];
}

/** Intersection of two spans; the first one if they are disjoint. */
function overlap(a: Span | undefined, b: Span | undefined): Span | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const [from, to] = [Math.max(a.from, b.from), Math.min(a.to, b.to)];
  return from <= to ? { from, to } : a;
}

const TERMINATING = 'rows show Terminating';

function byRows(pod: string, seen: Observation): SeenDeletion[] {
  const states = statesByPod(seen).get(pod) ?? [];
  const index = states.findIndex(({ status }) => status === 'Terminating');
  const [before, first] = [states[index - 1]?.last, states[index]?.first];
  if (before === undefined || first === undefined) return [];
  return [{ pod, time: { from: Math.min(before.to, first.to), to: first.to }, why: TERMINATING }];
}

/** Without an earlier row, a row only gives the latest time of the deletion. */
function byLateRow(pod: string, seen: Observation): SeenDeletion[] {
  const [first] = statesByPod(seen).get(pod) ?? [];
  return first?.status === 'Terminating' ? [{ pod, time: first.first, why: TERMINATING }] : [];
}

function byEvents(pod: string, { rows, events }: Observation): SeenDeletion[] {
  const own = events.filter((each) => each.pod === pod);
  const ending = own.filter(isEnding);
  const begun = ending.flatMap(({ first, time }) => first ?? time ?? []).sort((a, b) => a.from - b.from)[0];
  const [event] = ending;
  if (event === undefined || begun === undefined) return [];
  const isAfter = (time: Span | undefined) => time !== undefined && time.from > begun.to;
  const goesOn =
    own.some(({ reason, time }) => GOES_ON.test(reason) && isAfter(time)) ||
    rows.some((row) => row.pod === pod && row.status !== 'Terminating' && isAfter(row.time));
  return goesOn ? [] : [{ pod, time: begun, why: `of its event ${event.reason}` }];
}

const GOES_ON = /^(?:Created|Started|SandboxChanged|BackOff)$/;

/** A Killing event that ends the pod, not one after a failed probe or hook, or a changed container. */
const isEnding = ({ reason, message }: PlacedEvent): boolean =>
  reason === 'FailedKillPod' ||
  (reason === 'Killing' && /^Stopping container |Need to kill [Pp]od/.test(message));

/** In seconds: after this time of not being ready, the node's pods are evicted (5 minutes). */
const EVICTS = 290;

function isLongNotReady({ nodes, end }: Observation): boolean {
  const first = nodes.find(({ isReady, time }) => !isReady && (time?.from ?? 0) > 5)?.time?.from;
  return first !== undefined && end - first > EVICTS;
}
