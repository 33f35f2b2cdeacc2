import type { Schedule } from '../catalog/perturbation.js';

/** Queue of schedules, ordered by novelty: the first of each kind, then the second of each kind. */
export interface Waiting {
  /** Returns false if the queue is full and already had one of its kinds. */
  add(schedule: Schedule): boolean;
  take(count: number): Schedule[];
  save(): SavedWaiting;
}

export interface SavedWaiting {
  readonly levels: readonly (readonly Schedule[])[];
  readonly counts: readonly (readonly [kinds: string, count: number])[];
}

/** Above this number only the first schedule of each kind is kept. */
const MOST = 5000;

export function createWaiting(saved?: SavedWaiting): Waiting {
  const levels: Schedule[][] = (saved?.levels ?? []).map((level) => [...level]);
  const counts = new Map(saved?.counts);
  let size = levels.reduce((sum, { length }) => sum + length, 0);
  return {
    add: (schedule) => {
      const kinds = schedule.map(({ kind }) => kind).join(' + ');
      const level = counts.get(kinds) ?? 0;
      if (level > 0 && size >= MOST) return false;
      counts.set(kinds, level + 1);
      while (levels.length <= level) levels.push([]);
      levels[level]?.push(schedule);
      size++;
      return true;
    },
    take: (count) => {
      const taken: Schedule[] = [];
      for (const level of levels) {
        if (taken.length >= count) break;
        taken.push(...level.splice(0, count - taken.length));
      }
      size -= taken.length;
      return taken;
    },
    save: () => ({ levels, counts: [...counts] }),
  };
}
