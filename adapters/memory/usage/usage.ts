import { tmpdir } from 'node:os';
import type { FilesystemUsage, MemoryUsage, PsiStats } from '../../../src/cri/gen/runtime/v1/api.js';
import type { ContainerUsage, SandboxUsage } from '../../../src/runtime/engine/backend/usage.js';

/** The file system in all usage reports: it exists, because the kubelet runs statfs on it. */
export const MOUNTPOINT = tmpdir();

/** CPU time that the runtime takes to start a container, in ns. */
const START_COST = 20_000_000;

/** The part of it that a container of this age, in ns, has used. */
export const startCost = (age: number): number => Math.min(START_COST, age);

export interface UsageSource {
  /** Unix nanoseconds. */
  readonly now: bigint;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  /** Nanoseconds of CPU time. */
  readonly cpu: number;
  /** Nanocores. */
  readonly cpuRate: number;
  /** Bytes. */
  readonly memory: number;
  /** Bytes; undefined for none. */
  readonly memoryLimit: number | undefined;
  /** Bytes and files that the container wrote into its own layer. */
  readonly written: { readonly bytes: number; readonly files: number };
}

export const NOTHING: UsageSource['written'] = { bytes: 0, files: 0 };

const SECOND = 1_000_000_000n;

/** The CPU's rate between two readings that are at least a second apart. */
export class CpuRate {
  #last: { readonly at: bigint; readonly cpu: number };
  #rate = 0;

  constructor(startedAt: bigint) {
    this.#last = { at: startedAt, cpu: START_COST };
  }

  /** The rate in nanocores at `now`, when the container has used `cpu` nanoseconds of CPU time. */
  at(now: bigint, cpu: number): number {
    const passed = now - this.#last.at;
    if (passed < SECOND) return this.#rate;
    this.#rate = ((cpu - this.#last.cpu) / Number(passed)) * 1e9;
    this.#last = { at: now, cpu };
    return this.#rate;
  }
}

const uint = (value: number) => ({ value: BigInt(Math.max(0, Math.round(value))) });

/** In the CRI's units: bytes, nanoseconds and counts. */
export function containerUsage(source: UsageSource): ContainerUsage {
  const { now: timestamp, cpu: total, cpuRate } = source;
  return {
    cpu: {
      timestamp,
      usageCoreNanoSeconds: uint(total),
      usageNanoCores: uint(cpuRate),
      psi: pressure(total),
    },
    memory: memoryUsage(source),
    io: { timestamp, psi: pressure(total / 10) },
    swap: { timestamp, swapAvailableBytes: uint(0), swapUsageBytes: uint(0) },
    writableLayer: layerUsage(source),
  };
}

export function sandboxUsage(source: UsageSource, processes: number): SandboxUsage {
  const { now, startedAt } = source;
  const { cpu, memory, io } = containerUsage(source);
  const seconds = Number(now - startedAt) / 1e9;
  const defaultInterface = {
    name: 'eth0',
    rxBytes: uint(seconds * 120),
    rxErrors: uint(0),
    txBytes: uint(seconds * 80),
    txErrors: uint(0),
  };
  return {
    cpu,
    memory,
    ...(io && { io }),
    network: { timestamp: now, defaultInterface, interfaces: [defaultInterface] },
    process: { timestamp: now, processCount: uint(processes) },
  };
}

function memoryUsage(source: UsageSource): MemoryUsage {
  const { memory: used, memoryLimit } = source;
  return {
    timestamp: source.now,
    workingSetBytes: uint(used),
    availableBytes: memoryLimit === undefined ? undefined : uint(memoryLimit - used),
    usageBytes: uint(used * 1.1),
    rssBytes: uint(used * 0.9),
    pageFaults: uint(used / 4096),
    majorPageFaults: uint(0),
    psi: pressure(0),
  };
}

const layerUsage = ({ now, written }: UsageSource): FilesystemUsage => ({
  timestamp: now,
  fsId: { mountpoint: MOUNTPOINT },
  usedBytes: uint(4096 + written.bytes),
  inodesUsed: uint(4 + written.files),
});

function pressure(nanos: number): PsiStats {
  const data = { Total: BigInt(Math.round(nanos / 100)), Avg10: 0, Avg60: 0, Avg300: 0 };
  return { Full: data, Some: data };
}
