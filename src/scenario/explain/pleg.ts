import { clockText } from '../clock-text.js';
import type { SimulatedLine, Simulation } from '../run.js';
import type { Explanation } from './explanation.js';

const FAILED = 'Evented PLEG: Failed to get container events, retrying';
const FALL_BACK = 'Fall back to Generic PLEG relisting';
const FAST_PATH_OFF = 'disabling container-termination fast path';
/** What the kubelet logs when it discards an event because its channel of PLEG events is full. */
export const DISCARDED = 'Event channel is full';
const NO_LIST = 'GenericPLEG: Unable to retrieve pods';

/** Why the evented PLEG gave up, what failed relists were about, and which events were lost. */
export function explainPleg(run: Simulation): Explanation[] {
  return [...givingUp(run), ...failedLists(run), ...lostEvents(run)];
}

function givingUp({ log }: Simulation): Explanation[] {
  return log
    .filter(({ text }) => text.includes(FALL_BACK) || text.includes(FAST_PATH_OFF))
    .map((line) => {
      const failures = log.filter(({ t, text }) => t <= line.t && text.startsWith(FAILED));
      const span = line.t - (failures[0]?.t ?? line.t);
      const consequence = line.text.includes(FALL_BACK)
        ? 'It uses events again only after a restart: until then it lists everything each second.'
        : 'It continues to list everything each second, as before, but no longer looks immediately after a container ends.';
      return {
        t: line.t,
        text: `The kubelet gave up on the event stream, because it failed ${failures.length} times in ${clockText(span)}, and there is no pause between its tries. ${errorsOf(failures)} ${consequence}`,
      };
    });
}

/** The errors of the failures, each with how often it came. */
function errorsOf(failures: readonly SimulatedLine[]): string {
  const counts = new Map<string, number>();
  for (const { text } of failures) {
    const error = text.slice(FAILED.length + 2);
    counts.set(error, (counts.get(error) ?? 0) + 1);
  }
  return `The errors: ${[...counts].map(([error, count]) => `${count} × "${error}"`).join(', ')}.`;
}

function failedLists({ log }: Simulation): Explanation[] {
  const failed = log.filter(({ text }) => text.startsWith(NO_LIST));
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return [];
  const error = first.text.slice(NO_LIST.length + 2);
  const span = failed.length === 1 ? '' : `, ${failed.length} times until ${clockText(last.t)}`;
  return [
    {
      t: first.t,
      text: `A relist got no list of the pods (${error})${span}. The kubelet relies on its last list. After the threshold of 3m0.0s without a list, its PLEG is not healthy.`,
    },
  ];
}

function lostEvents({ log }: Simulation): Explanation[] {
  const lost = log.filter(({ text }) => text.includes(DISCARDED));
  const first = lost[0];
  if (first === undefined) return [];
  return [
    {
      t: first.t,
      text: `The channel of PLEG events was full, and ${lost.length} ${lost.length === 1 ? 'event was' : 'events were'} lost. The kubelet detects these changes only when it syncs the pods for another reason.`,
    },
  ];
}
