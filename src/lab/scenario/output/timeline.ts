import { formatDuration } from '../../../base/input/duration.js';
import { withoutTimes } from '../../../base/input/without-times.js';
import { methodGroups } from '../../../runtime/faults/language/methods.js';
import type { RunEntry, SimulatedCall, SimulatedNodeState, SimulatedOutput, Simulation } from '../run/run.js';

/**
 * Everything that happened in one run, one line each, as golden files keep it: without what containers printed, and without
 * calls, of which they keep the numbers. What repeats itself is one line, with the number of times, as Kubernetes does with events.
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

/** Rows and node states never repeat themselves; of calls, those that change something are shown one by one. */
const isOwnLine = (entry: Line): boolean =>
  entry.kind === 'row' || entry.kind === 'node' || (entry.kind === 'call' && mutating.has(entry.rpc));

const mutating = new Set(methodGroups['@mutating']);

/** The order of what happened in the same millisecond. */
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

/** Without what differs between repetitions: times and ids. */
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

/** How often every RPC was called, and the PLEG's counters. */
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
