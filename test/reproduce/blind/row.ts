import { apartAgain } from './apart-again.js';
import { ask } from './ask.js';
import type { CaseMaker } from './cases.js';
import type { Row } from './table.js';
import type { Viewing } from './texts.js';

export const RUNS = 300;

/** Asks a question, and judges the answer. */
export async function rowOf({ name, kind, make }: CaseMaker, viewing: Viewing, runs = RUNS): Promise<Row> {
  const { place, isHidden, result, seconds } = await ask(await make(), viewing, runs);
  return {
    name,
    kind,
    viewing,
    isHidden,
    place,
    answers: result.causes.map(({ key, fit, schedule, version }) => ({
      key,
      fit,
      version,
      text: schedule.map((one) => one.text).join('; and '),
    })),
    runs: result.runs,
    seconds: Math.round(seconds * 10) / 10,
    apart: await apartAgain(result),
  };
}
