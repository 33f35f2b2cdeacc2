import { clockText } from '../output/clock-text.js';
import type { SimulatedPleg, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

/** Why the evented PLEG gave up, what failed relists were about, and which events were lost. */
export function explainPleg(run: Simulation): Explanation[] {
  return [...givingUp(run), ...failedLists(run), ...lostEvents(run)];
}

function givingUp({ pleg }: Simulation): Explanation[] {
  return pleg
    .filter(({ state }) => state === 'generic' || state === 'fast-path-off')
    .map(({ t: end, state: how }) => {
      const failures = pleg.filter(({ t, state }) => t <= end && state === 'stream-failed');
      const span = end - (failures[0]?.t ?? end);
      const consequence =
        how === 'generic'
          ? 'It uses events again only after a restart: until then it lists everything each second.'
          : 'It continues to list everything each second, as before, but no longer looks immediately after a container ends.';
      return {
        t: end,
        text: `The kubelet gave up on the event stream, because it failed ${failures.length} times in ${clockText(span)}, and there is no pause between its tries. ${errorsOf(failures)} ${consequence}`,
      };
    });
}

/** The errors of the failures, each with how often it came. */
function errorsOf(failures: readonly SimulatedPleg[]): string {
  const counts = new Map<string, number>();
  for (const { text = '' } of failures) counts.set(text, (counts.get(text) ?? 0) + 1);
  return `The errors: ${[...counts].map(([error, count]) => `${count} × "${error}"`).join(', ')}.`;
}

function failedLists({ pleg }: Simulation): Explanation[] {
  const failed = pleg.filter(({ state }) => state === 'list-failed');
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return [];
  const span = failed.length === 1 ? '' : `, ${failed.length} times until ${clockText(last.t)}`;
  return [
    {
      t: first.t,
      text: `A relist got no list of the pods (${first.text})${span}. The kubelet relies on its last list. After the threshold of 3m0.0s without a list, its PLEG is not healthy.`,
    },
  ];
}

function lostEvents({ pleg }: Simulation): Explanation[] {
  const lost = pleg.filter(({ state }) => state === 'discarded');
  const first = lost[0];
  if (first === undefined) return [];
  return [
    {
      t: first.t,
      text: `The channel of PLEG events was full, and ${lost.length} ${lost.length === 1 ? 'event was' : 'events were'} lost. The kubelet detects these changes only when it syncs the pods for another reason.`,
    },
  ];
}
