import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { statesByPod } from '../distance/seen-states.js';
import type { Observation } from '../observation.js';

/** Steps in which somebody deletes a pod, and where each guess is from. */
export interface Deletions {
  readonly steps: LoadedScenario['timeline'];
  readonly guesses: readonly string[];
}

/** Pods are deleted when they were first seen to terminate, unless the scenario says when, or the node evicts them. */
export function guessDeletions({ timeline }: LoadedScenario, seen: Observation): Deletions {
  const isEvicted =
    seen.events.some(({ reason }) => reason === 'TaintManagerEviction') || isLongNotReady(seen);
  if (isEvicted || timeline.some(({ do: action }) => action.removePod !== undefined))
    return { steps: [], guesses: [] };
  const found = [...statesByPod(seen)].flatMap(([pod, states]) => {
    const told = seen.deleted.find((each) => each.pod === pod)?.time;
    const index = states.findIndex(({ status }) => status === 'Terminating');
    const first = states[index]?.first;
    if (told === undefined && first === undefined) return [];
    const before = states[index - 1]?.last;
    const at = told?.from ?? (before === undefined ? (first?.from ?? 0) : (before.to + (first?.to ?? 0)) / 2);
    return [{ pod, at: Math.max(0, Math.round(at * 10) * 100) }];
  });
  return {
    steps: found.map(({ pod, at }) => ({ at, do: { removePod: pod } })),
    guesses: found.map(
      ({ pod, at }) => `pod ${pod} is deleted at ${at / 1000}s, because rows show Terminating`,
    ),
  };
}

/** Whether the node was not ready for so long that its pods are evicted (5 minutes), in seconds. */
const EVICTS = 290;

function isLongNotReady({ nodes, end }: Observation): boolean {
  const first = nodes.find(({ isReady, time }) => !isReady && (time?.from ?? 0) > 5)?.time?.from;
  return first !== undefined && end - first > EVICTS;
}
