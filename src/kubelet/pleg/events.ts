import type { ListedPod } from '../client/list-pods.js';
import type { PodLifecycleEvent } from '../types/runtime-status.js';

/** Created containers count as unknown. */
type PlegState = 'running' | 'exited' | 'unknown' | 'non-existent';

/** generic.go computeEvents. */
export function podEvents(
  uid: string,
  old: ListedPod | undefined,
  next: ListedPod | undefined,
): PodLifecycleEvent[] {
  if (old === next) return [];
  const before = statesOf(old);
  const after = statesOf(next);
  const events: PodLifecycleEvent[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const types = transition(before.get(id) ?? 'non-existent', after.get(id) ?? 'non-existent');
    for (const type of types) events.push({ uid, type, data: id });
  }
  return events;
}

/** generic.go generateEvents. */
export function transition(old: PlegState, next: PlegState): PodLifecycleEvent['type'][] {
  if (old === next) return [];
  switch (next) {
    case 'running':
      return ['ContainerStarted'];
    case 'exited':
      return ['ContainerDied'];
    case 'unknown':
      return ['ContainerChanged'];
    case 'non-existent':
      return old === 'exited' ? ['ContainerRemoved'] : ['ContainerDied', 'ContainerRemoved'];
  }
}

function statesOf(pod: ListedPod | undefined): Map<string, PlegState> {
  const states = new Map<string, PlegState>();
  for (const { id, state } of pod?.containers ?? []) states.set(id, state === 'created' ? 'unknown' : state);
  for (const { id, ready } of pod?.sandboxes ?? []) states.set(id, ready ? 'running' : 'exited');
  return states;
}
