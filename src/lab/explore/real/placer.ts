import type { Clock, Timer } from '../../../base/clock/clock.js';
import type { Entry } from '../../../tape/entries.js';
import { createStateReader } from '../points/state.js';
import type { RunPosition } from './run-position.js';

export interface Waiting {
  readonly place: RunPosition;
  readonly act: () => void;
}

export function createPlacer(waiting: readonly Waiting[], clock: Clock) {
  const left = [...waiting];
  const state = createStateReader('runtime');
  let timer: Timer | undefined;

  const look = () => {
    timer?.cancel();
    timer = undefined;
    const [next] = left;
    if (next === undefined || next.place.state !== state.text) return;
    if (next.place.after === 0) act();
    else timer = clock.setTimer(next.place.after, act);
  };
  const act = () => {
    left.shift()?.act();
    look();
  };
  let hasBegun = false;
  return {
    /** Call it before the kubelet starts: performs what precedes its first call. */
    begin: () => {
      while (left[0]?.place.state === '' && left[0].place.after === 0) left.shift()?.act();
    },
    read: (entry: Entry) => {
      const isFirst = !hasBegun && entry.kind === 'call';
      hasBegun ||= isFirst;
      if (state.read(entry) || isFirst) look();
    },
  };
}
