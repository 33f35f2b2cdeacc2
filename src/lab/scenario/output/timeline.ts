import { formatDuration } from '../../../base/input/duration.js';
import { withoutTimes } from '../../../base/input/without-times.js';
import { methodGroups } from '../../../runtime/faults/language/methods.js';
import type { RunEntry, SimulatedCall, SimulatedNodeState, SimulatedOutput, Simulation } from '../run/run.js';

/**
 * One line for everything that happened in a run, as in golden files: without output of containers, and with only the
 * number of calls. Repetitions are one line with a count, as Kubernetes aggregates events.
 */
export function timelineText(run: Simulation, options: { readonly withCalls?: boolean } = {}): string[] {
  const byKey = new Map<string, TimelineLine>();
  const more = options.withCalls ? [...run.calls.map(asCall), ...run.outputs.map(asOutput)] : [];
  for (const entry of [...run.entries, ...more]) {
    const text = describe(entry);
    const key = isOwnLine(entry) ? `${byKey.size}` : `${entry.kind} ${plain(text)}`;
    const known = byKey.get(key);
    if (known === undefined) byKey.set(key, { kind: entry.kind, text, at: entry.t, last: entry.t, count: 1 });
    else byKey.set(key, { ...known, last: entry.t, count: known.count + 1 });
  }
  const sorted = [...byKey.values()].sort(
    (a, b) => a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  );
  return [...sorted.map(line), ...counts(run)];
}

type Line =
  | RunEntry
  | ({ readonly kind: 'call' } & SimulatedCall)
  | ({ readonly kind: 'print' } & SimulatedOutput);

const asCall = (call: SimulatedCall) => ({ kind: 'call' as const, ...call });
const asOutput = (output: SimulatedOutput) => ({ kind: 'print' as const, ...output });

const isOwnLine = (entry: Line): boolean =>
  entry.kind === 'row' || entry.kind === 'node' || (entry.kind === 'call' && mutating.has(entry.rpc));

const mutating = new Set(methodGroups['@mutating']);

/** Order within a millisecond. */
const ORDER: readonly Line['kind'][] = ['step', 'call', 'fault', 'print', 'event', 'log', 'row', 'node'];

interface TimelineLine {
  readonly kind: Line['kind'];
  readonly text: string;
  readonly at: number;
  readonly last: number;
  readonly count: number;
}

const line = ({ kind, text, at, last, count }: TimelineLine): string => {
  const repeated = count === 1 ? '' : `  (${count} times, last at ${last.toFixed(3)}s)`;
  return `${at.toFixed(3).padStart(9)}s  ${kind.padEnd(5)}  ${text}${repeated}`;
};

/** Removes times and ids, which differ between repetitions. */
const plain = (text: string): string => withoutTimes(text).replace(/\b[0-9a-f]{12,64}\b/g, '<id>');

function describe(entry: Line): string {
  switch (entry.kind) {
    case 'row':
      return `${entry.pod}  ${entry.ready}  ${entry.status}  ${entry.restarts}`;
    case 'event':
      return `${entry.pod}  ${entry.type} ${entry.reason}: ${entry.message}`;
    case 'node':
      return nodeText(entry);
    case 'fault':
      return `${entry.rule}: ${entry.action}${entry.rpc === undefined ? '' : ` on ${entry.rpc}`}`;
    case 'call':
      return callText(entry);
    case 'print':
      return `${entry.pod}/${entry.container}: ${entry.text}`;
    case 'step':
    case 'log':
      return entry.text;
  }
}

const callText = ({ rpc, t, end, code }: SimulatedCall): string =>
  end === undefined ? `${rpc}  not over` : `${rpc}  ${code}  ${formatDuration(Math.round((end - t) * 1000))}`;

function nodeText({ ready, message, taint, evicting }: SimulatedNodeState): string {
  const tainted = taint === undefined ? '' : `; tainted ${taint}${evicting ? ', pods are evicted' : ''}`;
  return `Ready=${ready}: ${message}${tainted}`;
}

function counts({ calls, metrics }: Simulation): string[] {
  const numbers = new Map<string, number>();
  for (const { rpc } of calls) numbers.set(rpc, (numbers.get(rpc) ?? 0) + 1);
  const sorted = [...numbers].sort(([a], [b]) => (a < b ? -1 : 1));
  const counters = [...(metrics.at(-1)?.values ?? [])].filter(([name]) => isCounter(name));
  return [
    'calls',
    ...sorted.map(([rpc, count]) => `  ${rpc} ${count}`),
    'metrics',
    ...counters.map(([name, value]) => `  ${name} ${value}`),
  ];
}

const isCounter = (name: string): boolean => /pleg.*_(count|events)$|^kubelet_running_/.test(name);
