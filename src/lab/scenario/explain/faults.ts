import { counted } from '../../../base/input/counted.js';
import { groupBy } from '../../../base/input/group-by.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedCall, SimulatedContainerEvent, SimulatedFault, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { repeated } from './repeated.js';

/** Fault rules and lost events between a container's end and its restart, one sentence each; only for this pod. */
export function explainFaults(
  run: Simulation,
  ended: SimulatedContainerEvent,
  started: SimulatedContainerEvent,
): string[] {
  const isBetween = ({ t }: { readonly t: number }) => t >= ended.t && t <= started.t;
  const faults = run.faults.filter(
    (fault) => concerns(fault, ended) && (isBetween(fault) || lasts(fault, ended.t, run.calls)),
  );
  const discarded = run.pleg.filter((each) => isBetween(each) && each.state === 'discarded');
  return [...describe(faults), ...(discarded.length === 0 ? [] : [discardedText(discarded.length)])];
}

/** One sentence for each rule, at its first effect. Lost events have their own sentence. */
export const explainAppliedFaults = ({ faults }: Simulation): Explanation[] =>
  repeated(faults, ({ rule, action, rpc, pod }) => `${rule} ${action} ${rpc} ${pod}`).map(
    ({ first, count, times }) => {
      const { t, rule, action, rpc, pod } = first;
      const about = pod === undefined ? '' : ` about pod ${pod}`;
      if (action === 'drop' && rpc === 'GetContainerEvents') {
        const what =
          count === 1
            ? `An event${about} is lost`
            : `${count} events${about} are lost${times.replace(/^ \d+ times/, '')}`;
        return {
          t,
          text: `${what}: fault rule "${rule}" drops ${count === 1 ? 'it' : 'them'}. The kubelet detects the change only when it next relists.`,
        };
      }
      return {
        t,
        text: `Fault rule "${rule}" fired${times}: ${effectText(action, rpc)}${pod === undefined ? '' : ` for pod ${pod}`}.`,
      };
    },
  );

/** Effect of a rule: `StartContainer hangs`, `close on GetContainerEvents`. */
export function effectText(action: string, rpc: string | undefined): string {
  if (rpc === undefined) return action;
  const verb = VERBS[action];
  return verb === undefined ? `${action} on ${rpc}` : `${rpc} ${verb}`;
}

const VERBS: Readonly<Record<string, string>> = {
  hang: 'hangs',
  error: 'returns an error',
  delay: 'is delayed',
};

const concerns = (fault: SimulatedFault, { pod }: SimulatedContainerEvent): boolean =>
  fault.pod === undefined || fault.pod === pod;

/** Whether the call affected by a rule was still in progress at this time, because it hangs or is late. */
const lasts = (fault: SimulatedFault, time: number, calls: readonly SimulatedCall[]): boolean =>
  fault.t < time &&
  calls.some(({ t, rpc, end }) => rpc === fault.rpc && t === fault.t && (end === undefined || end >= time));

function describe(faults: readonly SimulatedFault[]): string[] {
  const groups = groupBy(faults, ({ rule, action, rpc }) => `${rule} ${action} ${rpc}`);
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0] as SimulatedFault, group.at(-1) as SimulatedFault];
    const { rule, action, rpc } = first;
    const span = [...new Set([clockText(first.t), clockText(last.t)])];
    const count = group.length === 1 ? '' : `${group.length} times `;
    const times = span.length === 1 ? `${count}at ${span[0]}` : `${count}from ${span.join(' to ')}`;
    const isLost = action === 'drop' && rpc === 'GetContainerEvents';
    const effect = isLost
      ? `, and the kubelet missed ${group.length === 1 ? 'this event' : 'these events'}`
      : '';
    return `Fault rule "${rule}" fired ${times}: ${effectText(action, rpc)}${effect}.`;
  });
}

const discardedText = (count: number): string =>
  `The channel of PLEG events was full, and the kubelet discarded ${counted(count, 'event')}.`;
