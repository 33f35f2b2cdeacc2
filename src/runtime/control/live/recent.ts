import { forgetOldest } from '../../../base/input/forget-oldest.js';
import type { Entry } from '../../../tape/entries.js';
import type { Recorded, TapeRecorder } from '../../assembly/tape-recorder.js';
import type { EventName } from '../../engine/events/events.js';
import type { LifecycleStep } from '../../engine/events/lifecycle.js';
import type { ContainerRecord, SandboxRecord } from '../../engine/state/records.js';
import type { Timed } from './what-exists.js';

export interface RecentLimits {
  /** Nanoseconds. */
  readonly time: number;
  readonly entries: number;
  /** Characters of the entries as JSON. */
  readonly characters: number;
  /** States that are older than `time` and still true: rows of pods, nodes, connections. */
  readonly states: number;
}

const LIMITS: RecentLimits = { time: 600e9, entries: 20_000, characters: 8 * 2 ** 20, states: 10_000 };

/** The last minutes without calls and existing objects: ended lifecycles, faults, kubelets' rows and decisions. */
export interface Recent {
  /** The time on the tape since which nothing is missing. */
  readonly from: number;
  /** Returns the entries of a part in order of time, and which of its states are older. Times are those of the tape. */
  of(part: Recorded): readonly Entry[];
}

/** Few and small kinds. Messages and logs are not kept, so that a server without readers does no work for them. */
const KINDS: readonly Entry['kind'][] = [
  'fault',
  'row',
  'event',
  'node',
  'backoff',
  'pleg',
  'plugin',
  'nri',
  'connection',
  'step',
  'gap',
];

interface Remembered {
  readonly number: number;
  readonly at: number;
  readonly size: number;
  readonly entry: Entry;
}

export function keepRecent({ all }: Pick<TapeRecorder, 'all'>, limits = LIMITS): Recent {
  const { tape } = all;
  let kept: Remembered[] = [];
  let gone = 0;
  let characters = 0;
  let from = tape.now();
  let numbers = 0;
  const states = new Map<string, Remembered>();

  const forget = (now: number) => {
    for (;;) {
      const oldest = kept[gone];
      if (oldest === undefined) break;
      const isMuch = kept.length - gone > limits.entries || characters > limits.characters;
      if (!isMuch && oldest.at >= now - limits.time) break;
      if (isMuch) from = Math.max(from, oldest.at);
      characters -= oldest.size;
      gone++;
    }
    // The array is compacted rarely.
    if (gone < limits.entries) return;
    kept = kept.slice(gone);
    gone = 0;
  };
  const add = (entry: Entry, at = entry.t) => {
    const size = JSON.stringify(entry).length;
    const remembered = { number: numbers++, at, size, entry };
    kept.push(remembered);
    characters += size;
    keepState(states, remembered, limits.states);
    forget(at);
  };

  tape.listen({
    only: KINDS,
    entry: (entry) => {
      // A kubelet relists once a second.
      if (entry.kind !== 'pleg' || entry.state !== 'relist') add(entry);
    },
  });
  for (const { node, tape, origin } of all.runtimes)
    origin.runtime?.watchLifecycle((step) => {
      const at = tape.now();
      for (const happening of lifecycleOf(step, at, tape.startedAt))
        add({ ...happening, ...(node && { node }) } as Entry, at);
    });
  return {
    get from() {
      return Math.max(from, tape.now() - limits.time);
    },
    of: ({ runtimes }) => {
      forget(tape.now());
      const names = new Set(runtimes.map(({ node }) => node));
      const oldest = kept[gone]?.number ?? numbers;
      const entries: Entry[] = [];
      const take = ({ entry }: Remembered) => {
        if (names.has(nodeOf(entry))) entries.push(entry);
      };
      for (const state of states.values()) if (state.number < oldest) take(state);
      for (let index = gone; index < kept.length; index++) take(kept[index] as Remembered);
      return entries;
    },
  };
}

const nodeOf = (entry: Entry): string | undefined => ('node' in entry ? entry.node : undefined);

function keepState(states: Map<string, Remembered>, remembered: Remembered, most: number): void {
  const { entry } = remembered;
  const key = stateKey(entry);
  if (key === undefined) return;
  states.delete(key);
  const isGone = (entry.kind === 'connection' || entry.kind === 'plugin') && entry.what === 'lost';
  if (!isGone) states.set(key, remembered);
  forgetOldest(states, most);
}

const HEALTH: readonly string[] = ['starting', 'healthy', 'unhealthy'];

function stateKey(entry: Entry): string | undefined {
  const node = nodeOf(entry) ?? '';
  switch (entry.kind) {
    case 'row':
      return `row ${node} ${entry.pod.namespace}/${entry.pod.name}`;
    case 'connection':
      return `connection ${node} ${entry.connection}`;
    case 'plugin':
      return `plugin ${node} ${entry.connection}`;
    case 'node':
      return `node ${node}`;
    case 'pleg':
      return `pleg ${node} ${HEALTH.includes(entry.state) ? 'health' : entry.state}`;
    default:
      return undefined;
  }
}

/** Returns the entries of an ended lifecycle, including its earlier steps. */
function lifecycleOf({ event, record }: LifecycleStep, at: number, startedAt: bigint): Timed[] {
  const timeOf = (nanos: bigint) => Math.min(at, Number(nanos - startedAt));
  return 'sandbox' in record
    ? containerEnd(event, record, at, timeOf)
    : sandboxEnd(event, record, at, timeOf);
}

type TimeOf = (nanos: bigint) => number;

function sandboxEnd(event: EventName, record: SandboxRecord, at: number, timeOf: TimeOf): Timed[] {
  const base = { kind: 'sandbox', pod: podOf(record) } as const;
  if (event === 'DELETED') return [{ t: at, ...base, what: 'removed' }];
  if (event !== 'STOPPED') return [];
  return [
    { t: timeOf(record.createdAt), ...base, what: 'ready' },
    { t: at, ...base, what: 'stopped' },
  ];
}

/** A container that is removed before it has ended shows its start only here. */
function containerEnd(event: EventName, record: ContainerRecord, at: number, timeOf: TimeOf): Timed[] {
  const { id, name, attempt, phase, createdAt } = record;
  const base = { kind: 'container', pod: podOf(record.sandbox), container: { id, name, attempt } } as const;
  const hasEnded = phase.state === 'EXITED';
  const started = 'startedAt' in phase ? phase.startedAt : 0n;
  const before: Timed[] = [{ t: timeOf(createdAt), ...base, what: 'created' }];
  if (started !== 0n) before.push({ t: timeOf(started), ...base, what: 'started' });
  if (event === 'DELETED') return [...(hasEnded ? [] : before), { t: at, ...base, what: 'removed' }];
  if (event !== 'STOPPED' || !hasEnded) return [];
  const { exitCode, reason } = phase;
  return [...before, { t: at, ...base, what: 'ended', exitCode, ...(reason && { reason }) }];
}

function podOf({ id, metadata: { name, namespace, uid, attempt } }: SandboxRecord) {
  return { id, name, namespace, uid, attempt };
}
