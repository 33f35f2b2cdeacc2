import type { BackOffDecision } from '../../../kubelet/backoff/crash-loop.js';
import type { NodeView } from '../../../kubelet/node/control-plane.js';
import type { EventFacts, KubeEvent } from '../../../kubelet/types/ports.js';
import type { PlegReport } from '../../../kubelet/types/reports.js';
import type {
  InstanceEvent,
  KubeletStep,
  LeftObjects,
  PodEnd,
  ShownPod,
} from '../../../tape/judge/kubelet/rule.js';

/**
 * A line of `kubectl get pod -w`; `t` is seconds since the kubelet's start. Here and below, `pod` is `web`, or
 * `blue/web` outside namespace `default`.
 */
export type SimulatedRow = ShownPod;

/** A Kubernetes event; `t` is in seconds since the kubelet's start, here and below. */
export interface SimulatedEvent extends Pick<KubeEvent, 'pod' | 'field' | 'reason' | 'message'>, EventFacts {
  readonly t: number;
  readonly type: string;
}

/** An RPC that the kubelet attempted, successful or not. */
export interface SimulatedCall {
  readonly t: number;
  readonly rpc: string;
  /** When it ended, and its gRPC status code; undefined while in progress. */
  readonly end?: number;
  readonly code?: string;
}

/** The control plane's new view of the node. */
export interface SimulatedNodeState extends Omit<NodeView, 'taint'> {
  readonly t: number;
  readonly taint: string | undefined;
}

export interface SimulatedLine {
  readonly t: number;
  readonly text: string;
}

/** PLEG errors, and when it started or stopped using events; `text` is the error. */
export interface SimulatedPleg extends Pick<PlegReport, 'state' | 'text'> {
  readonly t: number;
}

export interface SimulatedFault {
  readonly t: number;
  readonly rule: string;
  readonly action: string;
  /** Undefined for rules about time and connections. */
  readonly rpc: string | undefined;
  /** Name of the pod that the call or message is about, if it is about one. */
  readonly pod?: string | undefined;
}

/** A step of the scenario's timeline, the end of a deleted pod, or an exit of the kubelet, as text. */
export type SimulatedStep = SimulatedLine;

/** A pod was deleted, or is gone. */
export type SimulatedPodEnd = PodEnd;

/** The kubelet started, was killed, or exited. */
export interface SimulatedKubelet extends KubeletStep {
  /** Why it exited. */
  readonly text?: string;
  /** Seconds from an exit until the service manager restarts it. */
  readonly restarts?: number;
}

/** A start or end of a container, as seen by the backend. */
export interface SimulatedContainerEvent extends Omit<InstanceEvent, 'line'> {
  readonly reason?: string;
  /** The image's command, if the container has neither a behavior nor a command. */
  readonly imageCommand?: string;
}

/** One of the last output lines of a failed container; `t` is when it ended. */
export interface SimulatedOutput extends Pick<InstanceEvent, 't' | 'pod' | 'container' | 'attempt'> {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** The crash-loop back-off's decision before a start. */
export interface SimulatedBackOff extends Pick<BackOffDecision, 'container' | 'waits'> {
  readonly t: number;
  readonly pod: string;
  /** Seconds since the end of the dead instance that counts; undefined without one. */
  readonly endedAgo: number | undefined;
  /** In seconds; 0 without an entry. */
  readonly delay: number;
}

export type SimulatedRest = LeftObjects;

/** Kubelet metrics by their exposed name. */
export interface SimulatedMetrics {
  readonly t: number;
  readonly values: ReadonlyMap<string, number>;
  /** How many series of each name the runtime has in ListPodSandboxMetrics, if an expectation asks for them. */
  readonly series?: ReadonlyMap<string, number>;
}

/** What users follow a run by. */
export type RunEntry =
  | ({ readonly kind: 'row' } & SimulatedRow)
  | ({ readonly kind: 'event' } & SimulatedEvent)
  | ({ readonly kind: 'node' } & SimulatedNodeState)
  | ({ readonly kind: 'log' } & SimulatedLine)
  | ({ readonly kind: 'fault' } & SimulatedFault)
  | ({ readonly kind: 'step' } & SimulatedStep);

/** Everything that happened, in order. */
export interface Simulation {
  /** Rows, events, node states, log lines, faults and steps in one order. */
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
  /** At the requested times, and at the end. */
  readonly metrics: readonly SimulatedMetrics[];
  /** By pod; empty if the runtime has nothing left at the end. */
  readonly left: readonly SimulatedRest[];
}
