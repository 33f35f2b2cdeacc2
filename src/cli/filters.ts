import { InvalidArgumentError } from 'commander';
import { methodProblem } from '../faults/language/methods.js';
import { problemOf } from '../faults/language/pattern.js';

/** The name of an RPC, as an option has it. Throws InvalidArgumentError. */
export function methodOf(name: string): string {
  const problem = methodProblem(name);
  if (problem === undefined) return name;
  throw new InvalidArgumentError(problem);
}

/** A name, glob or /expression/, as an option has it. Throws InvalidArgumentError. */
export function patternOf(text: string): string {
  const problem = problemOf(text);
  if (problem === undefined) return text;
  throw new InvalidArgumentError(problem);
}
