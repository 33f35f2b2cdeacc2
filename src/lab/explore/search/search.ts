import { createRandom, pick, type Random } from '../../../base/random/random.js';
import { type Candidate, isChosen } from '../catalog/catalog.js';
import { type Schedule, scheduled, scheduleId } from '../catalog/perturbation.js';
import { hashOf } from './job.js';

export interface SearchOptions {
  readonly seed: number | string;
  readonly depth: number;
  /** Families, kinds or methods of perturbations; empty for all. */
  readonly only: readonly string[];
  /** This search takes the single perturbations of shard `index` (from 0) of `of`. */
  readonly shard: { readonly index: number; readonly of: number };
}

export interface Learned {
  readonly states: readonly string[];
  readonly next: readonly Candidate[];
}

/** Decides which schedules to try, in which order; deterministic for equal options and lessons. */
export interface Search {
  take(count: number): Schedule[];
  learn(schedule: Schedule, learned: Learned): void;
  readonly coverage: number;
  /** Its whole state as JSON; `createSearch` continues from it. */
  save(): SavedSearch;
}

export interface SavedSearch {
  readonly singles: readonly Schedule[];
  readonly pairs: SavedWaiting;
  readonly tried: readonly string[];
  readonly states: readonly string[];
  readonly interesting: readonly Schedule[];
  readonly drawn: readonly string[];
  readonly draws: number;
}

const MOST_INTERESTING = 500;
const MOST_DRAWS = 50;
const MOST_DRAWN = 100_000;

/**
 * First tries each single perturbation. Then pairs: each result shows where the run can be perturbed next, except for
 * kinds already tried in the same state. Then random schedules (PCT: a few equally probable points; swarm: only some
 * families each time), which also extend schedules that reached new states.
 */
export function createSearch(
  singles: readonly Candidate[],
  options: SearchOptions,
  saved?: SavedSearch,
): Search {
  const { depth, only, shard } = options;
  const random = createRandom(`explore/${options.seed}/${shard.index}`);
  const chosen = singles.filter(({ perturbation }) => isChosen(perturbation, only));
  const own = chosen.filter((_, index) => index % shard.of === shard.index);
  const waiting: Schedule[] = [...(saved?.singles ?? own.map(({ perturbation }) => [perturbation]))];
  const pairs = createWaiting(saved?.pairs);
  const tried = new Set(saved?.tried ?? chosen.map(keyOf));
  const states = new Set(saved?.states);
  const interesting: Schedule[] = [...(saved?.interesting ?? [])];
  const drawn = new Set(saved?.drawn);
  let draws = saved?.draws ?? 0;

  return {
    take: (count) => {
      const schedules = waiting.splice(0, count);
      schedules.push(...pairs.take(count - schedules.length));
      while (schedules.length < count && depth > 1 && chosen.length > 1) {
        const schedule = draw();
        if (schedule === undefined) break;
        schedules.push(schedule);
      }
      return schedules;
    },
    learn: (schedule, { states: seen, next }) => {
      const before = states.size;
      for (const state of seen) states.add(state);
      if (states.size > before && interesting.length < MOST_INTERESTING) interesting.push(schedule);
      if (schedule.length >= Math.min(depth, 2)) return;
      for (const candidate of next) {
        const { perturbation } = candidate;
        const key = keyOf(candidate);
        if (tried.has(key) || !isChosen(perturbation, only)) continue;
        if (isElsewhere(schedule, perturbation.pod)) continue;
        if (pairs.add(scheduled([...schedule, perturbation]))) tried.add(key);
      }
    },
    get coverage() {
      return states.size;
    },
    save: () => ({
      singles: waiting,
      pairs: pairs.save(),
      tried: [...tried],
      states: [...states],
      interesting,
      drawn: [...drawn],
      draws,
    }),
  };

  function draw(): Schedule | undefined {
    for (let tries = 0; tries < MOST_DRAWS; tries++) {
      const schedule = randomSchedule(random.fork(String(draws++)), chosen, interesting, depth);
      const id = hashOf(scheduleId(schedule));
      if (schedule.length < 2 || drawn.has(id) || hasTwoSeeds(schedule)) continue;
      if (drawn.size >= MOST_DRAWN) drawn.clear();
      drawn.add(id);
      return schedule;
    }
    return undefined;
  }
}

const keyOf = ({ state, perturbation }: Candidate): string => `${state} ${perturbation.kind}`;

/** The perturbations of two pods that share only the node. */
const isElsewhere = (schedule: Schedule, pod: string): boolean =>
  pod !== '' && schedule.some((each) => each.pod !== '' && each.pod !== pod);

const hasTwoSeeds = (schedule: Schedule): boolean =>
  schedule.filter(({ seed }) => seed !== undefined).length > 1;

function randomSchedule(
  random: Random,
  all: readonly Candidate[],
  interesting: readonly Schedule[],
  depth: number,
): Schedule {
  const families = [...new Set(all.map(({ perturbation }) => perturbation.family))];
  const swarm = new Set(families.filter(() => random.next() < 0.5));
  const able = all.filter(({ perturbation }) => swarm.has(perturbation.family));
  const start = random.next() < 0.5 ? (pick(random, interesting) ?? []) : [];
  const length = 2 + Math.floor(random.next() * (depth - 1));
  const made = new Map(start.slice(0, depth - 1).map((each) => [each.id, each]));
  for (let tries = 0; made.size < length && tries < 2 * length; tries++) {
    const candidate = pick(random, able.length > 0 ? able : all);
    if (candidate !== undefined) made.set(candidate.perturbation.id, candidate.perturbation);
  }
  return scheduled([...made.values()]);
}

/** Queue of schedules, ordered by novelty: the first of each kind, then the second of each kind. */
interface Waiting {
  /** Returns false if the queue is full and already had one of its kinds. */
  add(schedule: Schedule): boolean;
  take(count: number): Schedule[];
  save(): SavedWaiting;
}

interface SavedWaiting {
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
