import type { Item, Lane, Timeline } from './timeline.js';

/** Empty fields select everything. */
export interface Filter {
  /** Words that a sentence, a name, a label or a code must all contain; ignores case. */
  readonly text: string;
  /** `namespace/name`. */
  readonly pod: string;
  readonly method: string;
  readonly code: string;
  /** Only faults and affected calls. */
  readonly faulty: boolean;
}

export const NO_FILTER: Filter = { text: '', pod: '', method: '', code: '', faulty: false };

export interface Choices {
  readonly pods: readonly string[];
  readonly methods: readonly string[];
  readonly codes: readonly string[];
}

export function choicesOf(timelines: readonly Timeline[]): Choices {
  const pods = timelines.flatMap(({ lanes }) => lanes.flatMap(({ pod }) => pod || []));
  const sorted = (sets: readonly ReadonlySet<string>[]) =>
    [...new Set(sets.flatMap((set) => [...set]))].sort();
  return {
    pods: [...new Set(pods)],
    methods: sorted(timelines.map(({ methods }) => methods)),
    codes: sorted(timelines.map(({ codes }) => codes)),
  };
}

export function filtered(lane: Lane, filter: Filter): readonly Item[] {
  const { pod, method, code, faulty } = filter;
  if (pod !== '' && lane.pod !== '' && lane.pod !== pod) return [];
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && method === '' && code === '' && !faulty) return lane.items;
  return lane.items.filter(
    (item) =>
      (method === '' || item.method === method) &&
      (code === '' || item.code === code) &&
      (!faulty || item.rules !== undefined) &&
      hasAll(item, words),
  );
}

function hasAll(item: Item, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const { lane, text, label, code = '', rules = [] } = item;
  const all = `${text} ${label} ${code} ${lane.pod} ${lane.label} ${rules.join(' ')}`.toLowerCase();
  return words.every((word) => all.includes(word));
}
