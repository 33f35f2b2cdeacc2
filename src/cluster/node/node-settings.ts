/** A node's registration. Quantities as written (`16`, `64Gi`). */
export interface NodeSettings {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly NodeTaint[];
  readonly capacity: Readonly<Record<string, string>>;
  /** Resources for pods; missing ones default to the capacity. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** InternalIP: where the API server finds the kubelet server. */
  readonly ip: string;
  /** Omits the address of type Hostname, for API servers that would resolve it. */
  readonly withoutHostname?: boolean | undefined;
  /** Port of the kubelet server; 0 for none. */
  readonly port: number;
  readonly kubeletVersion: string;
  readonly osImage: string;
  readonly kernelVersion: string;
  readonly architecture: string;
  readonly providerID?: string | undefined;
  readonly staticPodPath?: string | undefined;
}

export interface NodeTaint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}
