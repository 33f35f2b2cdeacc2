import type { Finding } from '../finding.js';

/** A start or an end of a container. `t` is seconds since the run's start, as with all that follow. */
export interface InstanceEvent {
  readonly t: number;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
  readonly what: 'started' | 'ended';
  /** Of an end. */
  readonly exitCode?: number;
  /** The line of a tape that shows it. */
  readonly line?: number;
}

/** A line of `kubectl get pod -w`. */
export interface ShownPod {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

/** What the rules about instances of containers look at. */
export interface Instances {
  readonly containerEvents: readonly InstanceEvent[];
  readonly pods: readonly PodEnd[];
}

/** A pod was asked to end, or is gone. */
export interface PodEnd {
  readonly t: number;
  readonly pod: string;
  readonly what: 'deleted' | 'gone';
}

/** When a deleted pod was gone, in seconds; undefined if it is not. */
export const goneAt = ({ pods }: Pick<Instances, 'pods'>, pod: string): number | undefined =>
  pods.find((each) => each.pod === pod && each.what === 'gone')?.t;

/** A run of a kubelet, as far as the rules look at it. */
export interface KubeletRun extends Instances {
  readonly rows: readonly ShownPod[];
  /** When the kubelet came and went. */
  readonly kubelets: readonly { readonly t: number; readonly what: 'started' | 'killed' | 'exited' }[];
  /** The node's states, as the control plane sees them. */
  readonly nodes: readonly { readonly t: number; readonly ready: string; readonly message: string }[];
  /** What the runtime has of each pod at the end. */
  readonly left: readonly { readonly pod: string; readonly sandboxes: number; readonly containers: number }[];
}

/** What the rules read of a v1.Pod. */
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

/** What a rule looks at. */
export interface RunFacts {
  readonly run: KubeletRun;
  /** The pods of the run, also those that are added in it. */
  readonly pods: readonly JudgedPod[];
  /** What is before this time does not count for rules about how soon the kubelet acts. */
  readonly from: number;
  readonly end: number;
  /** What the judge of tapes found about the kubelet; empty if the run had no tape. */
  readonly judged: readonly Finding[];
}

/** One rule that every run must keep, whatever its faults are. */
export interface RunRule<F = RunFacts> {
  readonly title: string;
  /** What breaks the rule, one text for each pod, container or object. */
  readonly check: (facts: F) => RunBreach[];
}

/** A rule that needs to know nothing but what the containers did, so that any tape of a kubelet can be checked. */
export type InstanceRule = RunRule<{ readonly run: Instances }>;

/** A rule that a run breaks. */
export interface RunBreach {
  /** The pod, as `kubectl` names it; empty for the node. */
  readonly pod: string;
  /** What was expected, and what happened instead. */
  readonly message: string;
  /** The more specific rule, for `conversation`: `INV-07.exited-is-final`. */
  readonly rule?: string;
  /** The lines of a tape that show it. */
  readonly lines?: readonly number[];
}
