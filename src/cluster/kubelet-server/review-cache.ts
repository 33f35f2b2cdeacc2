import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';

export interface ReviewCache<T> {
  /** Concurrent equal questions share one request. Failures are not cached. */
  get(question: string): Promise<T>;
}

/** Questions that wait for the API server; more fail immediately, so strangers can't slow the nodes' own requests. */
const MOST_UNDER_WAY = 20;

/** `ttl` returns how long an answer is valid, in ms. */
export function createReviewCache<T>(
  clock: Clock,
  ask: (question: string) => Promise<T>,
  ttl: (answer: T) => number,
): ReviewCache<T> {
  const answers = new Map<string, { readonly answer: Promise<T>; expires: number }>();
  let underWay = 0;
  const review = async (question: string): Promise<T> => {
    if (underWay >= MOST_UNDER_WAY)
      throw new Error(`${underWay} questions wait for the API server; try again`);
    underWay++;
    try {
      return await ask(question);
    } finally {
      underWay--;
    }
  };
  return {
    get: (question) => {
      // Questions contain tokens of up to 16 KiB, so only digests are kept.
      const key = createHash('sha256').update(question).digest('base64');
      const known = answers.get(key);
      if (known !== undefined && known.expires > clock.elapsed()) return known.answer;
      answers.delete(key);
      const entry = { answer: review(question), expires: Number.POSITIVE_INFINITY };
      answers.set(key, entry);
      const forget = () => {
        if (answers.get(key) === entry) answers.delete(key);
      };
      entry.answer.then((answer) => {
        const good = ttl(answer);
        if (good <= 0) forget();
        entry.expires = clock.elapsed() + good;
      }, forget);
      forgetOldest(answers);
      return entry.answer;
    },
  };
}
