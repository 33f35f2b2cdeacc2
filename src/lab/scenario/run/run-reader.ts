import type { Entry } from '../../../tape/entries.js';
import { podText } from '../../../tape/pod-text.js';
import type { Tape } from '../../../tape/tape.js';
import { exitText } from './exit-text.js';
import type { RunEntry, SimulatedCall, SimulatedEvent, SimulatedRow, Simulation } from './run.js';

export interface RunReaderOptions {
  /** False keeps only metrics, for runs of weeks; callbacks still get everything. Default true. */
  readonly keepAll?: boolean | undefined;
  /** Called immediately with each row. */
  readonly onRow?: ((row: SimulatedRow) => void) | undefined;
  readonly onEvent?: ((event: SimulatedEvent) => void) | undefined;
}

export interface RunReader {
  readonly result: Omit<Simulation, 'metrics' | 'left'>;
  /** Seconds since the kubelet's start. */
  seconds(): number;
}

export function readRun(tape: Tape, { keepAll = true, onRow, onEvent }: RunReaderOptions): RunReader {
  const result = {
    entries: [],
    rows: [],
    events: [],
    calls: [],
    nodes: [],
    log: [],
    pleg: [],
    faults: [],
    steps: [],
    pods: [],
    kubelets: [],
    containerEvents: [],
    outputs: [],
    backOffs: [],
  } satisfies RunReader['result'] as Growing;
  let begun = tape.now();
  let isStarted = false;
  const secondsAt = (t: number) => Math.round((t - begun) / 1e6) / 1000;
  const show: Show = (list, entry) => {
    const { kind: _, ...item } = entry;
    list.push(item);
    result.entries.push(entry);
  };

  const readers: Readers = {
    row: ({ t, pod, ready, status, restarts }) => {
      const row = { t: secondsAt(t), pod: podText(pod), ready, status, restarts };
      if (keepAll) show(result.rows, { kind: 'row', ...row });
      onRow?.(row);
    },
    event: ({ kind: _, node: _node, t, pod, field, type, reason, text, ...facts }) => {
      const event = { t: secondsAt(t), pod: podText(pod), field, type, reason, message: text, ...facts };
      if (keepAll) show(result.events, { kind: 'event', ...event });
      onEvent?.(event);
    },
    kubelet: ({ t, what, text, restarts }) => {
      if (!isStarted) begun = t;
      isStarted = true;
      const kubelet = {
        t: secondsAt(t),
        what,
        ...(text !== undefined && { text }),
        ...(restarts !== undefined && { restarts: restarts / 1e9 }),
      };
      if (!keepAll) return;
      result.kubelets.push(kubelet);
      if (what === 'exited') show(result.steps, { kind: 'step', t: kubelet.t, text: exitText(kubelet) });
    },
    ...(keepAll && {
      ...callReaders(result.calls, secondsAt),
      ...shownReaders(result, show, secondsAt),
      ...containerReaders(result, secondsAt),
    }),
  };
  tape.listen({
    only: Object.keys(readers) as Entry['kind'][],
    entry: (entry) => (readers[entry.kind] as ((entry: Entry) => void) | undefined)?.(entry),
  });
  return {
    result,
    seconds: () => secondsAt(tape.now()),
  };
}

type Readers = { readonly [K in Entry['kind']]?: (entry: Extract<Entry, { kind: K }>) => void };

type Show = <E extends RunEntry>(list: Omit<E, 'kind'>[], entry: E) => void;

/** What happens to the node and its pods, except for rows, events and calls. */
const shownReaders = (
  result: Growing,
  show: Show,
  secondsAt: (t: number) => number,
): Pick<Required<Readers>, 'node' | 'pleg' | 'log' | 'fault' | 'step' | 'pod'> => ({
  node: ({ t, ready, reason, text, problems = [], taint, evicting }) =>
    show<NodeState>(result.nodes, {
      kind: 'node',
      t: secondsAt(t),
      ready,
      reason,
      message: text,
      problems,
      taint,
      evicting,
    }),
  pleg: ({ t, state, text }) => {
    if (state !== 'relist') result.pleg.push({ t: secondsAt(t), state, ...(text !== undefined && { text }) });
  },
  log: ({ t, from, text, stream = 'stdout', pod, container }) => {
    if (from === 'kubelet') show(result.log, { kind: 'log', t: secondsAt(t), text });
    if (from !== 'container' || pod === undefined || container === undefined) return;
    const { name, attempt = 0 } = container;
    result.outputs.push({ t: secondsAt(t), pod: podText(pod), container: name, attempt, stream, text });
  },
  fault: ({ t, rule, action, method, pod }) =>
    show<Fault>(result.faults, {
      kind: 'fault',
      t: secondsAt(t),
      rule,
      action,
      rpc: method,
      pod: pod && podText(pod),
    }),
  step: ({ t, text }) => show(result.steps, { kind: 'step', t: secondsAt(t), text }),
  pod: ({ t, pod, what }) => {
    const end = { t: secondsAt(t), pod: podText(pod), what };
    result.pods.push(end);
    if (what === 'gone') show(result.steps, { kind: 'step', t: end.t, text: `pod ${end.pod} is gone` });
  },
});

function callReaders(
  calls: SimulatedCall[],
  secondsAt: (t: number) => number,
): Pick<Required<Readers>, 'call' | 'reply' | 'end'> {
  const open = new Map<number, Changeable<SimulatedCall>>();
  const finish = ({ t, call, code }: Extract<Entry, { kind: 'reply' | 'end' }>) => {
    const made = open.get(call);
    open.delete(call);
    if (made === undefined) return;
    made.end = secondsAt(t);
    made.code = code;
  };
  return {
    call: ({ t, call, method }) => {
      const made = { t: secondsAt(t), rpc: method };
      open.set(call, made);
      calls.push(made);
    },
    reply: finish,
    end: finish,
  };
}

function containerReaders(
  { containerEvents, backOffs }: Pick<Growing, 'containerEvents' | 'backOffs'>,
  secondsAt: (t: number) => number,
): Pick<Required<Readers>, 'container' | 'backoff'> {
  return {
    container: ({ t, pod, container, what, exitCode, reason, imageCommand }) => {
      if (what !== 'started' && what !== 'ended') return;
      containerEvents.push({
        t: secondsAt(t),
        pod: pod === undefined ? '' : podText(pod),
        container: container?.name ?? '',
        attempt: container?.attempt ?? 0,
        what,
        ...(exitCode !== undefined && { exitCode }),
        ...(reason !== undefined && { reason }),
        ...(imageCommand !== undefined && { imageCommand }),
      });
    },
    backoff: ({ t, pod, container, waits, endedAgo, delay }) =>
      backOffs.push({
        t: secondsAt(t),
        pod: podText(pod),
        container: container.name,
        waits,
        endedAgo: endedAgo === undefined ? undefined : endedAgo / 1e9,
        delay: delay / 1e9,
      }),
  };
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };

type Growing = { readonly [K in keyof RunReader['result']]: RunReader['result'][K][number][] };

type Fault = Extract<RunEntry, { kind: 'fault' }>;
type NodeState = Extract<RunEntry, { kind: 'node' }>;
