/** What a node says of itself when it registers. Quantities as written (`16`, `64Gi`). */
export interface NodeSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly capacity: Readonly<Record<string, string>>;
  /** What pods may have of it; what is not named is all of the capacity. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Address of type InternalIP: where the API server finds the kubelet server. */
  readonly ip: string;
  /** Leaves out the address of type Hostname, for API servers that would look it up. */
  readonly withoutHostname?: boolean | undefined;
  /** Port of the kubelet server; 0 for none. */
  readonly port: number;
  readonly kubeletVersion: string;
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly architecture: string;
  readonly providerID?: string | undefined;
  /** Directory or file with the manifests of static pods. */
  readonly staticPodPath?: string | undefined;
}

/** v1.Taint. */
export interface NodeTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}
