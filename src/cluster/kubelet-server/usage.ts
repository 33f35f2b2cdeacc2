export interface Usage {
  /** Unix nanoseconds; 0 if nothing was measured. */
  readonly time: bigint;
  /** Nanoseconds of one core since the start. */
  readonly cpuNanos: bigint;
  /** Billionths of a core in use. */
  readonly cpuNanoCores: bigint;
  /** Bytes of memory in use that can't be freed immediately. */
  readonly workingSet: bigint;
}

export interface ContainerUse extends Usage {
  readonly name: string;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
}

export interface PodUse extends Usage {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  readonly containers: readonly ContainerUse[];
}

/** The pods' usage, and a little for the node itself. */
export interface NodeUse extends Usage {
  readonly name: string;
  readonly pods: readonly PodUse[];
}
