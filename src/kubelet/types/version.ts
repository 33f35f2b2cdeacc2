/** Feature gates that have an effect here; `config/` has their defaults and stages for every version. */
export type FeatureGate =
  | 'EventedPLEG'
  | 'PLEGOnDemandRelist'
  | 'ReduceDefaultCrashLoopBackOffDecay'
  | 'KubeletCrashLoopBackOffMax'
  | 'ContainerRestartRules'
  | 'RestartAllContainersOnContainerExits'
  | 'ChangeContainerStatusOnKubeletRestart'
  | 'KubeletEnsureSecretPulledImages'
  | 'CRIListStreaming'
  | 'PreventStaticPodAPIReferences';

/** Differences between kubelet versions (the table in docs/kubelet.md). `config/` creates it. */
export interface KubeletVersion {
  /** `1.28` … `1.37`. */
  readonly name: string;
  /** 36 for 1.36. */
  readonly minor: number;
  readonly gates: Readonly<Record<FeatureGate, boolean>>;
  /** `stable`: GetStableKey (≤ 1.33); `fnv64`: GetBackoffKey over image and resources. */
  readonly backOffKey: 'stable' | 'fnv64';
  /** Input of io.kubernetes.container.hash: the whole container (≤ 1.30), or image and name. */
  readonly containerHash: 'whole' | 'image-and-name';
  readonly startEvents: 'plain' | 'colon' | 'short';
  /** Requeue after an error: 10 s ± jitter, or the time until the shortest back-off expires (≥ 1.35). */
  readonly requeue: 'fixed' | 'expiry';
  /** Behavior of GetNewerThan for a pod that is not in the cache. */
  readonly cacheMiss: 'empty' | 'wait';
  /** Design of the evented PLEG; `seconds` reads created_at in the wrong unit (kubernetes #124297). */
  readonly evented: 'A-seconds' | 'A' | 'B' | 'C';
  /** Whether the pod condition PodReadyToStartContainers is reported (beta in 1.29). */
  readonly sandboxCondition: boolean;
  /** Whether containers can be resized while they run (InPlacePodVerticalScaling, beta in 1.33). */
  readonly resizes: boolean;
  /** Whether ImagePullBackOff repeats the error of the last pull (1.32). */
  readonly pullErrorInBackOff: boolean;
  /** `Liveness probe errored: …`, or `Liveness probe errored and resulted in unknown state: …`. */
  readonly probeError: 'short' | 'with-result';
  /** `command "…" timed out`, or `command timed out: "…" timed out after 1s`. */
  readonly probeTimeout: 'plain' | 'with-limit';
  /** How long the control plane waits for a heartbeat, in seconds. */
  readonly nodeMonitorGracePeriod: number;
}
