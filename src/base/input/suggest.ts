const SHORTEST_BEGINNING = 3;

/**
 * The candidate closest to `word`: with a typing error (edit distance up to a third of its length), otherwise the
 * shortest one that begins with it: `crash-loop` finds `crash-loop-back-off`.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const all = [...candidates];
  return misspelt(word, all) ?? longerForm(word, all);
}

function longerForm(word: string, candidates: readonly string[]): string | undefined {
  if (word.length < SHORTEST_BEGINNING) return undefined;
  const longer = candidates.filter((each) => each.toLowerCase().startsWith(word.toLowerCase()));
  return longer.sort((a, b) => a.length - b.length)[0];
}

function misspelt(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  // For a single letter, another one is not a typing error.
  let bestDistance = Math.min(Math.max(1, Math.floor(word.length / 3)), word.length - 1) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `; did you mean "x"?`, or empty. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** Insertions, deletions, substitutions and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
