import type { Clock } from '../clock/clock.js';
import { codeName } from '../cri/status-code.js';
import type { BackOffDecision } from '../kubelet/backoff/crash-loop.js';
import type { NodeView } from '../kubelet/node/control-plane.js';
import type { KubeEvent } from '../kubelet/types.js';
import type { Happening, PodName } from '../tape/entries.js';
import type { Tape } from '../tape/tape.js';
import { createKubeletTape } from './kubelet-tape.js';

/** A line of `kubectl get pod -w`; `t` is seconds since the kubelet's start. */
export interface SimulatedRow {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** A Kubernetes event; `t` in seconds since the kubelet's start, as with all that follow. */
export interface SimulatedEvent extends Pick<KubeEvent, 'pod' | 'field' | 'type' | 'reason' | 'message'> {
  readonly t: number;
}

/** An RPC that the kubelet tried, whether it got through or not. */
export interface SimulatedCall {
  readonly t: number;
  readonly rpc: string;
  /** When it ended, and with which gRPC status code; undefined while it is under way. */
  readonly end?: number;
  readonly code?: string;
}

/** The control plane's new view of the node. */
export type SimulatedNodeState = NodeView & { readonly t: number };

/** A line of the kubelet's log. */
export interface SimulatedLine {
  readonly t: number;
  readonly text: string;
}

/** A rule that acted. */
export interface SimulatedFault {
  readonly t: number;
  readonly rule: string;
  readonly action: string;
  /** Undefined for rules on time and connections. */
  readonly rpc: string | undefined;
  /** Name of the pod that the call or message is about, if it is about one. */
  readonly pod?: string | undefined;
}

/** What the scenario's timeline did, and when a deleted pod was gone. */
export interface SimulatedStep {
  readonly t: number;
  readonly text: string;
}

/** Something in the life of a container, as the backend saw it. */
export interface SimulatedLife {
  readonly t: number;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly what: 'started' | 'ended';
  /** Of an end. */
  readonly exitCode?: number;
  readonly reason?: string;
}

/** What the crash-loop back-off decided before a start. */
export interface SimulatedBackOff extends Pick<BackOffDecision, 'pod' | 'container' | 'waits'> {
  readonly t: number;
  /** Seconds since the dead instance that counts ended; undefined without one. */
  readonly endedAgo: number | undefined;
  /** Seconds; 0 when there was no entry. */
  readonly delay: number;
}

/** What the runtime has of a pod at the end. */
export interface SimulatedRest {
  readonly pod: string;
  readonly sandboxes: number;
  readonly containers: number;
}

/** Values of the kubelet's metrics by their exposed name. */
export interface SimulatedMetrics {
  readonly t: number;
  readonly values: ReadonlyMap<string, number>;
}

/** What people follow a run by. */
export type Entry =
  | ({ readonly kind: 'row' } & SimulatedRow)
  | ({ readonly kind: 'event' } & SimulatedEvent)
  | ({ readonly kind: 'node' } & SimulatedNodeState)
  | ({ readonly kind: 'log' } & SimulatedLine)
  | ({ readonly kind: 'fault' } & SimulatedFault)
  | ({ readonly kind: 'step' } & SimulatedStep);

/** Everything that happened, each in the order in which it did. */
export interface Simulation {
  /** Rows, events, states of the node, log lines, faults and steps in one order. */
  readonly entries: readonly Entry[];
  readonly rows: readonly SimulatedRow[];
  readonly events: readonly SimulatedEvent[];
  readonly calls: readonly SimulatedCall[];
  readonly nodes: readonly SimulatedNodeState[];
  readonly log: readonly SimulatedLine[];
  readonly faults: readonly SimulatedFault[];
  readonly steps: readonly SimulatedStep[];
  readonly lives: readonly SimulatedLife[];
  readonly backOffs: readonly SimulatedBackOff[];
  /** At the times that were asked for, and at the end. */
  readonly metrics: readonly SimulatedMetrics[];
  /** By pod; empty when the runtime has nothing at the end. */
  readonly left: readonly SimulatedRest[];
}

/** What is kept of a run, and who gets it at once. */
export interface RunRecorderOptions {
  /** False keeps nothing but metrics, for runs of weeks; listeners get everything all the same. Default true. */
  readonly keepAll?: boolean | undefined;
  /** Called at once with what is kept. */
  readonly onRow?: ((row: SimulatedRow) => void) | undefined;
  readonly onEvent?: ((event: SimulatedEvent) => void) | undefined;
  readonly onCall?: ((call: SimulatedCall) => void) | undefined;
}

/** The record of a run. What would repeat the last row of its pod or view of the node is left out. */
export function createRunRecorder(
  { keepAll = true, onRow, onEvent, onCall }: RunRecorderOptions,
  clock: Clock,
  tape?: Tape,
) {
  const write = (happening: Happening) => {
    if (tape?.active) tape.write(happening);
  };
  const podOf = (name: string): PodName => ({ name, namespace: 'default' });
  const onTape = createKubeletTape({ tape, clock, podOf });
  const rows: SimulatedRow[] = [];
  const events: SimulatedEvent[] = [];
  const calls: SimulatedCall[] = [];
  const nodes: SimulatedNodeState[] = [];
  const log: SimulatedLine[] = [];
  const faults: SimulatedFault[] = [];
  const steps: SimulatedStep[] = [];
  const lives: SimulatedLife[] = [];
  const backOffs: SimulatedBackOff[] = [];
  const metrics: SimulatedMetrics[] = [];
  const left: SimulatedRest[] = [];
  const entries: Entry[] = [];
  const last = new Map<string, string>();
  let lastNode = '';
  let begun = clock.elapsed();
  const seconds = () => Math.round(clock.elapsed() - begun) / 1000;
  const keep =
    <T>(list: T[], entryOf?: (item: T) => Entry) =>
    (item: T) => {
      if (!keepAll) return;
      list.push(item);
      if (entryOf !== undefined) entries.push(entryOf(item));
    };
  const keepRow = keep(rows, (row) => ({ kind: 'row', ...row }));
  const keepEvent = keep(events, (event) => ({ kind: 'event', ...event }));
  const keepNode = keep(nodes, (node) => ({ kind: 'node', ...node }));
  const keepLine = keep(log, (line) => ({ kind: 'log', ...line }));
  const keepFault = keep(faults, (fault) => ({ kind: 'fault', ...fault }));
  const keepStep = keep(steps, (step) => ({ kind: 'step', ...step }));
  const [keepCall, keepLife, keepBackOff] = [keep(calls), keep(lives), keep(backOffs)];
  return {
    result: {
      entries,
      rows,
      events,
      calls,
      nodes,
      log,
      faults,
      steps,
      lives,
      backOffs,
      metrics,
      left,
    } satisfies Simulation,
    /** Times count from here. */
    begin: () => {
      begun = clock.elapsed();
    },
    row: (row: Omit<SimulatedRow, 't'>) => {
      const text = `${row.ready} ${row.status} ${row.restarts}`;
      if (last.get(row.pod) === text) return;
      last.set(row.pod, text);
      const made = { t: seconds(), ...row };
      keepRow(made);
      onTape.row(row);
      onRow?.(made);
    },
    event: ({ pod, field, type, reason, message }: Omit<SimulatedEvent, 't'>) => {
      const made = { t: seconds(), pod, field, type, reason, message };
      keepEvent(made);
      onTape.event(made);
      onEvent?.(made);
    },
    /** Returns what must be called with the gRPC status code at the call's end. */
    call: (rpc: string) => {
      const made: { -readonly [K in keyof SimulatedCall]: SimulatedCall[K] } = { t: seconds(), rpc };
      keepCall(made);
      onCall?.(made);
      return (code: number) => {
        made.end = seconds();
        made.code = codeName(code);
      };
    },
    /** The durations in a message grow with every report; that alone is no news. */
    node: (view: NodeView) => {
      const text = `${view.ready} ${view.taint} ${view.evicting} ${withoutTimes(view.message)}`;
      if (text === lastNode) return;
      lastNode = text;
      keepNode({ t: seconds(), ...view });
      onTape.node(view);
    },
    log: (text: string) => {
      keepLine({ t: seconds(), text });
      onTape.log(text);
    },
    fault: (fault: Omit<SimulatedFault, 't'>) => keepFault({ t: seconds(), ...fault }),
    step: (text: string) => {
      keepStep({ t: seconds(), text });
      write({ kind: 'step', text });
    },
    life: (life: Omit<SimulatedLife, 't'>) => {
      keepLife({ t: seconds(), ...life });
      const { pod, container, attempt, ...what } = life;
      write({ kind: 'container', pod: podOf(pod), container: { name: container, attempt }, ...what });
    },
    backOff: (decision: BackOffDecision) => {
      const { pod, container, waits, finishedAt, delay } = decision;
      const endedAgo = finishedAt === undefined ? undefined : Number(clock.now() - finishedAt) / 1e9;
      keepBackOff({ t: seconds(), pod, container, waits, endedAgo, delay: delay / 1000 });
      onTape.backOff(decision);
    },
    pleg: onTape.pleg,
    probe: onTape.probe,
    left: (rest: SimulatedRest) => void left.push(rest),
    metrics: (values: ReadonlyMap<string, number>) => void metrics.push({ t: seconds(), values }),
  };
}

/** How the step begins that reports an exit of the kubelet. */
export const KUBELET_EXIT = 'the kubelet exits: ';

/** The step that shows a deleted pod's end. */
export const goneText = (pod: string): string => `pod ${pod} is gone`;

/** A text with its durations taken out. */
export const withoutTimes = (text: string): string =>
  text.replace(/\b(\d+(\.\d+)?(ms|µs|ns|s|m|h))+\b/g, '<time>');

/** What a simulation writes while it runs; `result` is the whole. */
export type RunRecorder = ReturnType<typeof createRunRecorder>;
