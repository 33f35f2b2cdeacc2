import type { Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { groupedBy, repeated } from './repeated.js';

/** Lines of a container that are quoted, the last ones. */
const MOST_QUOTED = 3;

/** What containers that failed printed last: a sentence for each text of a container. */
export function explainOutputs({ outputs }: Simulation): Explanation[] {
  const ends = groupedBy(outputs, ({ t, pod, container, attempt }) => `${t} ${pod} ${container} ${attempt}`);
  const printed = [...ends.values()].flatMap((lines) => {
    const [first] = lines;
    const text = lines.slice(-MOST_QUOTED).map((line) => `"${line.text}"`);
    return first === undefined ? [] : { ...first, text: text.join(', ') };
  });
  const groups = repeated(printed, ({ pod, container, text }) => `${pod} ${container} ${text}`);
  return groups.map(({ first: { t, pod, container, text }, times }) => ({
    t,
    text: `${pod}/${container} failed${times}; its last output: ${text}`,
  }));
}
