import type { Problem } from '../../cri/errors.js';
import type { Answer } from './profile.js';

type ProblemOf<N, P = Problem> = P extends { readonly name: infer M } ? (N extends M ? P : never) : never;

/** A runtime's answers by problem; a text alone has code UNKNOWN, as standard Go errors. */
export type Answers<C> = {
  readonly [N in Problem['name']]?: (problem: ProblemOf<N>, context: C) => Answer | string;
};

/** The engine's own message for a problem without an answer. */
export function answerFrom<C extends { readonly message: string }>(
  answers: Answers<C>,
  problem: Problem,
  context: C,
): Answer {
  const answer = answers[problem.name] as ((problem: Problem, context: C) => Answer | string) | undefined;
  const said = answer?.(problem, context) ?? context.message;
  return typeof said === 'string' ? { code: 'UNKNOWN', text: said } : said;
}
