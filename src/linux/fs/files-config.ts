export interface MountConfig {
  readonly containerPath: string;
  /** Ignored if there is an `image`. */
  readonly hostPath: string;
  readonly image?: { readonly image: string } | undefined;
  readonly imageSubPath: string;
  readonly readonly: boolean;
  /** Whether host mounts below `hostPath` are read-only too. */
  readonly recursiveReadOnly: boolean;
}

/** A line of /proc/PID/uid_map or gid_map. */
export interface IdMapping {
  readonly containerId: number;
  readonly hostId: number;
  readonly length: number;
}

/** Content of /etc/resolv.conf. If all lists are empty, the container gets the node's own file. */
export interface DnsConfig {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

/** Limits in the cgroup's files. Zero means no limit. */
export interface CgroupLimits {
  readonly cpuPeriod: bigint;
  readonly cpuQuota: bigint;
  readonly cpuShares: bigint;
  readonly cpusetCpus: string;
  readonly cpusetMems: string;
  readonly memoryLimitInBytes: bigint;
  readonly memorySwapLimitInBytes: bigint;
  /** Files of cgroup v2 and their values, which replace the computed ones. */
  readonly unified: Readonly<Record<string, string>>;
}

export interface FilesConfig {
  readonly isPrivileged: boolean;
  readonly isRootReadonly: boolean;
  readonly mounts: readonly MountConfig[];
  readonly devices: readonly string[];
  readonly maskedPaths: readonly string[];
  readonly readonlyPaths: readonly string[];
  readonly dns: DnsConfig | undefined;
  /** Mappings of the user namespace; empty lists map the whole range. */
  readonly idMappings: { readonly uids: readonly IdMapping[]; readonly gids: readonly IdMapping[] };
}
