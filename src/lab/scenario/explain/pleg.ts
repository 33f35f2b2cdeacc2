import { counted } from '../../../base/input/counted.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedPleg, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

export function explainPleg(run: Simulation): Explanation[] {
  return [...givingUp(run), ...failedLists(run), ...lostEvents(run)];
}

function givingUp({ pleg, calls }: Simulation): Explanation[] {
  return pleg
    .filter(({ state }) => state === 'generic' || state === 'fast-path-off')
    .map(({ t: end, state: how }) => {
      const logged = pleg.filter(({ t, state }) => t <= end && state === 'stream-failed');
      const failures = logged.length > 0 ? logged : failedStreams(calls, end);
      const span = end - (failures[0]?.t ?? end);
      const consequence =
        how === 'generic'
          ? 'It uses events again only after a restart: until then it relists every second.'
          : 'It continues to relist every second, but no longer syncs a pod immediately after one of its containers exits.';
      return {
        t: end,
        text: `The kubelet gave up on the event stream after ${counted(failures.length, 'failure')} in ${clockText(span)}: it does not pause between attempts. ${errorsOf(failures)}${consequence}`,
      };
    });
}

/** Derives them from calls, for a kubelet whose log lacks them. */
const failedStreams = (calls: Simulation['calls'], until: number): Failure[] =>
  calls
    .filter(({ rpc, end = Infinity, code }) => rpc === 'GetContainerEvents' && end <= until && code !== 'OK')
    .map(({ end = 0, code }) => ({ t: end, text: code }));

type Failure = Pick<SimulatedPleg, 't' | 'text'>;

/** Distinct errors with their counts; empty without any. */
function errorsOf(failures: readonly Failure[]): string {
  if (failures.length === 0) return '';
  const counts = new Map<string, number>();
  for (const { text = '' } of failures) counts.set(text, (counts.get(text) ?? 0) + 1);
  return `Errors: ${[...counts].map(([error, count]) => `${count} × "${error}"`).join(', ')}. `;
}

function failedLists({ pleg }: Simulation): Explanation[] {
  const failed = pleg.filter(({ state }) => state === 'list-failed');
  const [first, last] = [failed[0], failed.at(-1)];
  if (first === undefined || last === undefined) return [];
  const span = failed.length === 1 ? '' : `, ${failed.length} times until ${clockText(last.t)}`;
  return [
    {
      t: first.t,
      text: `A relist could not list the pods (${first.text})${span}. The kubelet uses its last list. After 3m0.0s without a new one, its PLEG is not healthy.`,
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
      text: `The channel of PLEG events was full, and the kubelet lost ${counted(lost.length, 'event')}. It detects these changes only when it syncs the pods for another reason.`,
    },
  ];
}
