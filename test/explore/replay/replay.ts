import { messageOf } from '../../../src/base/input/error-text.js';
import { loadScenario, runScenario } from '../../../src/lab/scenario/index.js';

/** Runs the scenario of a finding this number of times; returns the problems of each run, equal runs once. */
export async function replay(file: string, times: number): Promise<string[]> {
  const scenario = await loadScenario(file);
  const problems = new Set<string>();
  for (let time = 0; time < times; time++) {
    // The end of a run with an exception is a finding as well.
    const results = await runScenario(scenario).catch((error: unknown) => [{ problems: [messageOf(error)] }]);
    problems.add(results.flatMap((each) => each.problems).join('\n'));
  }
  return [...problems];
}

/** The problems of a finding's replays; undefined if all of them show it in the same way. */
export async function unlike(file: string, message: string, times: number): Promise<string | undefined> {
  const problems = await replay(file, times);
  if (problems.length > 1)
    return `${times} replays differ: ${problems.map((each) => each || 'nothing').join(' | ')}`;
  const [problem = ''] = problems;
  return problem === '' ? `no replay shows: ${message}` : undefined;
}
