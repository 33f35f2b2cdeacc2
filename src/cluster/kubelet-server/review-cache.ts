import type { Clock } from '../../clock/clock.js';

/** Answers of the API server, kept for a while. */
export interface ReviewCache<T> {
  /** Questions that are asked at the same time are asked once. A failure is not kept. */
  get(question: string): Promise<T>;
}

/** More answers than this are not kept; the oldest goes. */
const MAX_ANSWERS = 10_000;

/** `ttl` says for how many ms an answer is good. */
export function createReviewCache<T>(
  clock: Clock,
  ask: (question: string) => Promise<T>,
  ttl: (answer: T) => number,
): ReviewCache<T> {
  const answers = new Map<string, { readonly answer: Promise<T>; expires: number }>();
  return {
    get: (question) => {
      const known = answers.get(question);
      if (known !== undefined && known.expires > clock.elapsed()) return known.answer;
      answers.delete(question);
      const entry = { answer: ask(question), expires: Number.POSITIVE_INFINITY };
      answers.set(question, entry);
      entry.answer.then(
        (answer) => {
          entry.expires = clock.elapsed() + ttl(answer);
        },
        () => {
          entry.expires = 0;
        },
      );
      const [oldest] = answers.keys();
      if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
      return entry.answer;
    },
  };
}
