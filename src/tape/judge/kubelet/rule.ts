import type { Finding } from '../finding.js';

/** A start or end of a container. `t` is in seconds since the run's start, here and below. */
export interface InstanceEvent {
  readonly t: number;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly what: 'started' | 'ended';
  /** Set for an end. */
  readonly exitCode?: number;
  readonly line?: number;
}

export interface ShownPod {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

export interface Instances {
  readonly containerEvents: readonly InstanceEvent[];
  readonly pods: readonly PodEnd[];
}

export interface PodEnd {
  readonly t: number;
  readonly pod: string;
  readonly what: 'deleted' | 'gone';
}

/** When a deleted pod was gone, in seconds; undefined if it is not. */
export const goneAt = ({ pods }: Pick<Instances, 'pods'>, pod: string): number | undefined =>
  pods.find((each) => each.pod === pod && each.what === 'gone')?.t;

export interface KubeletRun extends Instances {
  readonly rows: readonly ShownPod[];
  readonly kubelets: readonly KubeletStep[];
  /** The node's states in the control plane's view. */
  readonly nodes: readonly { readonly t: number; readonly ready: string; readonly message: string }[];
  /** Objects of each pod in the runtime at the end. */
  readonly left: readonly LeftObjects[];
}

export interface KubeletStep {
  readonly t: number;
  readonly what: 'started' | 'killed' | 'exited';
}

export interface LeftObjects {
  readonly pod: string;
  readonly sandboxes: number;
  readonly containers: number;
}

/** The fields of v1.Pod that rules read. */
export interface JudgedPod {
  readonly metadata: { readonly namespace: string; readonly name: string };
  readonly spec: {
    readonly restartPolicy: string;
    readonly initContainers: readonly JudgedContainer[];
    readonly containers: readonly JudgedContainer[];
  };
}

interface JudgedContainer {
  readonly name: string;
  readonly restartPolicy?: string | undefined;
  readonly restartPolicyRules: readonly object[];
  readonly readinessProbe?: object | undefined;
  readonly startupProbe?: object | undefined;
}

export interface RunFacts {
  readonly run: KubeletRun;
  readonly pods: readonly JudgedPod[];
  /** Rules about the kubelet's speed ignore anything earlier. */
  readonly from: number;
  readonly end: number;
  /** Findings of the tape judge about the kubelet; empty without a tape. */
  readonly judged: readonly Finding[];
}

/** A rule that every run must follow, regardless of its faults. */
export interface RunRule<F = RunFacts> {
  readonly title: string;
  /** Returns one breach for each pod, container or object. */
  readonly check: (facts: F) => RunBreach[];
}

/** A rule that needs only the containers' history, so that it can check any tape of a kubelet. */
export type InstanceRule = RunRule<{ readonly run: Instances }>;

export interface RunBreach {
  /** The pod's name in kubectl; empty for the node. */
  readonly pod: string;
  /** The expectation, and what happened instead. */
  readonly message: string;
  /** The specific rule for `conversation`: `INV-07.exited-is-final`. */
  readonly rule?: string;
  readonly lines?: readonly number[];
}
