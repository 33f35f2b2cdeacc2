import { type Entry, type SimulatedNodeState, type Simulation, withoutTimes } from './run-recorder.js';

/**
 * Everything that happened in one run, a line each, as golden files keep it. What repeats itself is written once, with
 * how often it came, as Kubernetes does with events.
 */
export function timelineText(run: Simulation): string[] {
  const told = new Map<string, Told>();
  for (const entry of run.entries) {
    const text = describe(entry);
    const key =
      entry.kind === 'row' || entry.kind === 'node' ? `${told.size}` : `${entry.kind} ${plain(text)}`;
    const known = told.get(key);
    if (known === undefined) told.set(key, { kind: entry.kind, text, at: entry.t, last: entry.t, count: 1 });
    else told.set(key, { ...known, last: entry.t, count: known.count + 1 });
  }
  const sorted = [...told.values()].sort(
    (a, b) => a.at - b.at || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind),
  );
  return [...sorted.map(line), ...counts(run)];
}

/** What happened in the same millisecond is written in this order. */
const ORDER: readonly Entry['kind'][] = ['step', 'fault', 'event', 'log', 'row', 'node'];

interface Told {
  readonly kind: Entry['kind'];
  readonly text: string;
  readonly at: number;
  readonly last: number;
  readonly count: number;
}

const line = ({ kind, text, at, last, count }: Told): string => {
  const repeated = count === 1 ? '' : `  (${count} times, last at ${last.toFixed(3)}s)`;
  return `${at.toFixed(3).padStart(9)}s  ${kind.padEnd(5)}  ${text}${repeated}`;
};

/** Without what differs between repetitions: times and ids. */
const plain = (text: string): string => withoutTimes(text).replace(/\b[0-9a-f]{12,64}\b/g, '<id>');

function describe(entry: Entry): string {
  switch (entry.kind) {
    case 'row':
      return `${entry.pod}  ${entry.ready}  ${entry.status}  ${entry.restarts}`;
    case 'event':
      return `${entry.pod}  ${entry.type} ${entry.reason}: ${entry.message}`;
    case 'node':
      return nodeText(entry);
    case 'fault':
      return `${entry.rule}: ${entry.action}${entry.rpc === undefined ? '' : ` on ${entry.rpc}`}`;
    case 'step':
    case 'log':
      return entry.text;
  }
}

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
