import { kindOf, type TraceDifference } from './compare.js';
import { explain, type Known } from './known.js';
import { lengthOf, type Sequence } from './steps.js';

/** A kind of difference with its shortest sequence. */
export interface Find {
  readonly difference: TraceDifference;
  readonly sequence: Sequence;
  /** Random sequences with this kind. */
  readonly count: number;
}

export class Finds {
  readonly #known: readonly Known[];
  readonly #finds = new Map<string, Find>();
  readonly #explained = new Map<Known, number>();

  constructor(known: readonly Known[]) {
    this.#known = known;
  }

  /** Unexplained kinds in order of their text, because sequences end in a different order each time. */
  get kinds(): readonly string[] {
    return [...this.#finds.keys()].sort();
  }

  get explained(): ReadonlyMap<Known, number> {
    return this.#explained;
  }

  of(kind: string): Find {
    const find = this.#finds.get(kind);
    if (find === undefined) throw new Error(`no such kind: ${kind}`);
    return find;
  }

  add(sequence: Sequence, differences: readonly TraceDifference[]): void {
    const first = new Map(differences.map((each) => [kindOf(each), each] as const).reverse());
    for (const [kind, difference] of first) {
      const known = explain(this.#known, difference);
      if (known !== undefined) {
        this.#explained.set(known, (this.#explained.get(known) ?? 0) + 1);
        continue;
      }
      const before = this.#finds.get(kind);
      const count = (before?.count ?? 0) + 1;
      this.#finds.set(kind, { ...shorterOf(before, sequence, difference), count });
    }
  }

  /** Adds the differences of a shortened sequence, which can only shorten known kinds. */
  shorten(sequence: Sequence, differences: readonly TraceDifference[]): void {
    for (const difference of differences) {
      const kind = kindOf(difference);
      const before = this.#finds.get(kind);
      if (before !== undefined)
        this.#finds.set(kind, { ...shorterOf(before, sequence, difference), count: before.count });
    }
  }
}

function shorterOf(
  before: Find | undefined,
  sequence: Sequence,
  difference: TraceDifference,
): Omit<Find, 'count'> {
  const part = sequence.slice(0, difference.step + 1);
  return before === undefined || lengthOf(part) < lengthOf(before.sequence)
    ? { difference, sequence: part }
    : before;
}
