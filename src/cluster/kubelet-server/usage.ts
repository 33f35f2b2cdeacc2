/** Use of the processor and of memory, at one time. */
export interface Usage {
  /** Unix nanoseconds; 0 when nothing was measured. */
  readonly time: bigint;
  /** Nanoseconds of one core since the start. */
  readonly cpuNanos: bigint;
  /** Billionths of a core in use. */
  readonly cpuNanoCores: bigint;
  /** Memory in use that can't be freed at once, in bytes. */
  readonly workingSet: bigint;
}

/** A container that runs, and what it uses. */
export interface ContainerUse extends Usage {
  readonly name: string;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
}

/** A pod that runs, and what it uses. */
export interface PodUse extends Usage {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  readonly containers: readonly ContainerUse[];
}

/** What a node uses: its pods, and a little for itself. */
export interface NodeUse extends Usage {
  readonly name: string;
  readonly pods: readonly PodUse[];
}
