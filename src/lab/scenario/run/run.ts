import type { BackOffDecision } from '../../../kubelet/backoff/crash-loop.js';
import type { NodeView } from '../../../kubelet/node/control-plane.js';
import type { EventFacts, KubeEvent } from '../../../kubelet/types/ports.js';
import type { PlegReport } from '../../../kubelet/types/reports.js';
import type { PodEnd } from '../../../tape/judge/kubelet/rule.js';

/**
 * A line of `kubectl get pod -w`; `t` is seconds since the kubelet's start. Here and below, `pod` is `web`, or `blue/web`
 * outside of the namespace `default`.
 */
export interface SimulatedRow {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** A Kubernetes event; `t` in seconds since the kubelet's start, as with all that follow. */
export interface SimulatedEvent extends Pick<KubeEvent, 'pod' | 'field' | 'reason' | 'message'>, EventFacts {
  readonly t: number;
  readonly type: string;
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
export interface SimulatedNodeState extends Omit<NodeView, 'taint'> {
  readonly t: number;
  readonly taint: string | undefined;
}

/** A line of the kubelet's log. */
export interface SimulatedLine {
  readonly t: number;
  readonly text: string;
}

/** What went wrong with the PLEG, and when its use of events began and ended; `text` is the error. */
export interface SimulatedPleg extends Pick<PlegReport, 'state' | 'text'> {
  readonly t: number;
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

/** What the scenario's timeline did, when a deleted pod was gone, and when the kubelet exited, in words. */
export interface SimulatedStep {
  readonly t: number;
  readonly text: string;
}

/** A pod was asked to end, or is gone. */
export type SimulatedPodEnd = PodEnd;

/** The kubelet came or went. */
export interface SimulatedKubelet {
  readonly t: number;
  readonly what: 'started' | 'killed' | 'exited';
  /** Why it exited. */
  readonly text?: string;
  /** Seconds from an exit until the service manager starts it again. */
  readonly restarts?: number;
}

/** A start or an end of a container, as the backend saw it. */
export interface SimulatedContainerEvent {
  readonly t: number;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly what: 'started' | 'ended';
  /** Of an end. */
  readonly exitCode?: number;
  readonly reason?: string;
  /** The image's command, of a container for which neither a behavior nor a command is given. */
  readonly imageCommand?: string;
}

/** A line of a container that failed, among the last that it printed; `t` is when it ended. */
export interface SimulatedOutput {
  readonly t: number;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** What the crash-loop back-off decided before a start. */
export interface SimulatedBackOff extends Pick<BackOffDecision, 'container' | 'waits'> {
  readonly t: number;
  readonly pod: string;
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
export type RunEntry =
  | ({ readonly kind: 'row' } & SimulatedRow)
  | ({ readonly kind: 'event' } & SimulatedEvent)
  | ({ readonly kind: 'node' } & SimulatedNodeState)
  | ({ readonly kind: 'log' } & SimulatedLine)
  | ({ readonly kind: 'fault' } & SimulatedFault)
  | ({ readonly kind: 'step' } & SimulatedStep);

/** Everything that happened, each in the order in which it did. */
export interface Simulation {
  /** Rows, events, states of the node, log lines, faults and steps in one order. */
  readonly entries: readonly RunEntry[];
  readonly rows: readonly SimulatedRow[];
  readonly events: readonly SimulatedEvent[];
  readonly calls: readonly SimulatedCall[];
  readonly nodes: readonly SimulatedNodeState[];
  readonly log: readonly SimulatedLine[];
  readonly pleg: readonly SimulatedPleg[];
  readonly faults: readonly SimulatedFault[];
  readonly steps: readonly SimulatedStep[];
  readonly pods: readonly SimulatedPodEnd[];
  readonly kubelets: readonly SimulatedKubelet[];
  readonly containerEvents: readonly SimulatedContainerEvent[];
  readonly outputs: readonly SimulatedOutput[];
  readonly backOffs: readonly SimulatedBackOff[];
  /** At the times that were asked for, and at the end. */
  readonly metrics: readonly SimulatedMetrics[];
  /** By pod; empty when the runtime has nothing at the end. */
  readonly left: readonly SimulatedRest[];
}
