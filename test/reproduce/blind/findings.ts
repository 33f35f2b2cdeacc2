/** A finding of explore that was compared with the real kubelet's source (docs/results/explore.md). */
export interface Examined {
  /** A bundled scenario without its faults, or a form of test/explore/replay. */
  readonly pod: string;
  readonly rule: string;
  /** The kind of perturbation. */
  readonly kind: string;
}

const one = 'shape one-container';
const evented = 'shape evented';

/** Findings that are the kubelet's own behavior, and that one perturbation shows. */
export const examined: readonly Examined[] = [
  { pod: one, rule: 'one-instance', kind: 'done late StartContainer' },
  { pod: one, rule: 'one-instance', kind: 'state CREATED ContainerStatus' },
  { pod: one, rule: 'counts-restarts', kind: 'error before StartContainer' },
  { pod: one, rule: 'counts-restarts', kind: 'reply lost CreateContainer' },
  { pod: one, rule: 'counts-restarts', kind: 'done late CreateContainer' },
  { pod: one, rule: 'counts-restarts', kind: 'status lost ContainerStatus' },
  { pod: one, rule: 'one-instance', kind: 'empty list ListContainers' },
  { pod: one, rule: 'counts-restarts', kind: 'kubelet restarted' },
  { pod: one, rule: 'counts-restarts', kind: 'runtime restarted for 400ms, state kept' },
  { pod: one, rule: 'counts-restarts', kind: 'runtime restarted for 30s, state kept' },
  { pod: one, rule: 'one-instance', kind: 'stale reply ListContainers' },
  { pod: one, rule: 'shows-truth', kind: 'hang from then on ContainerStatus' },
  { pod: one, rule: 'counts-restarts', kind: 'kubelet down for 20s' },
  { pod: 'crash-loop-back-off', rule: 'backs-off', kind: 'clock skewed by -1h for 1m' },
  { pod: 'crash-loop-back-off', rule: 'backs-off', kind: 'clock skewed by 1h for 1m' },
  { pod: 'crash-loop-back-off', rule: 'backs-off', kind: 'stale reply for 40s ListContainers' },
  { pod: evented, rule: 'same-end', kind: 'error before ListPodSandbox' },
  { pod: evented, rule: 'same-end', kind: 'error before for 40s ListContainers' },
  { pod: evented, rule: 'same-end', kind: 'delay 125s ListPodSandbox' },
  { pod: evented, rule: 'same-end', kind: 'runtime restarted for 1s, state lost' },
  { pod: evented, rule: 'shows-truth', kind: 'empty list ListPodSandbox' },
  { pod: evented, rule: 'one-instance', kind: 'clock skewed by -1h for 1m' },
  { pod: evented, rule: 'shows-truth', kind: 'event out of order GetContainerEvents' },
  { pod: evented, rule: 'counts-restarts', kind: 'no container statuses from then on PodSandboxStatus' },
  { pod: 'shape job', rule: 'done-stays-done', kind: 'stale reply for 40s ListContainers' },
  { pod: 'shape job', rule: 'done-stays-done', kind: 'clock skewed by -1h for 1m' },
  { pod: 'shape init-containers', rule: 'attempts-grow', kind: 'empty list ListPodSandbox' },
];
