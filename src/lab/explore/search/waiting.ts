import type { Schedule } from '../catalog/perturbation.js';

/** Schedules that wait to be tried. Those of different kinds come first: the first of each, then the second of each. */
export interface Waiting {
  /** False for one that is not kept, because too many wait already and one of its kinds was there before. */
  add(schedule: Schedule): boolean;
  /** The next schedules, at most `count`. */
  take(count: number): Schedule[];
  save(): SavedWaiting;
}

/** JSON. */
export interface SavedWaiting {
  /** By how many of the same kinds came before. */
  readonly levels: readonly (readonly Schedule[])[];
  readonly counts: readonly (readonly [kinds: string, count: number])[];
}

/** More are not kept, apart from the first of each kinds. */
const MOST = 5000;

/** Makes the queue of schedules; `saved` are those that waited before. */
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
