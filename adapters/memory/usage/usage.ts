import { tmpdir } from 'node:os';
import type { FilesystemUsage, MemoryUsage, PsiStats } from '../../../src/cri/gen/runtime/v1/api.js';
import type { ContainerUsage, SandboxUsage } from '../../../src/runtime/engine/backend/usage.js';

/** The file system of all usage: it exists, because the kubelet asks the system about it. */
export const MOUNTPOINT = tmpdir();

const MEBIBYTE = 1024 * 1024;

/** CPU time of a start in ns, and the share of a core while running. */
const START_COST = 20_000_000;
const BUSY_SHARE = 0.01;

/** Bytes of an idle process, and the limit of its growth. */
const RESIDENT = 2 * MEBIBYTE;
const GROWTH_PER_SECOND = 1024;
const GROWTH_LIMIT = 8 * MEBIBYTE;

export interface UsageSource {
  /** Unix nanoseconds. */
  readonly now: bigint;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  /** Bytes; undefined for none. */
  readonly memoryLimit: number | undefined;
  /** Bytes and files that the container wrote into its own layer. */
  readonly written: { readonly bytes: number; readonly files: number };
}

const uint = (value: number) => ({ value: BigInt(Math.max(0, Math.round(value))) });

/** CPU nanoseconds of a container: they never fall, and always grow. */
export const cpuNanos = ({ now, startedAt }: Pick<UsageSource, 'now' | 'startedAt'>): number =>
  START_COST + Number(now - startedAt) * BUSY_SHARE;

/** Bytes in use. */
export function memoryBytes({ now, startedAt, memoryLimit }: UsageSource): number {
  const seconds = Number(now - startedAt) / 1e9;
  const wanted = RESIDENT + Math.min(GROWTH_LIMIT, seconds * GROWTH_PER_SECOND);
  return memoryLimit === undefined ? wanted : Math.min(wanted, memoryLimit);
}

/** In the CRI's units: bytes, nanoseconds and counts; figures only grow with time. */
export function containerUsage(source: UsageSource): ContainerUsage {
  const { now: timestamp } = source;
  const total = cpuNanos(source);
  return {
    cpu: {
      timestamp,
      usageCoreNanoSeconds: uint(total),
      usageNanoCores: uint(BUSY_SHARE * 1e9),
      psi: pressure(total),
    },
    memory: memoryUsage(source),
    io: { timestamp, psi: pressure(total / 10) },
    swap: { timestamp, swapAvailableBytes: uint(0), swapUsageBytes: uint(0) },
    writableLayer: layerUsage(source),
  };
}

export function sandboxUsage(now: bigint, createdAt: bigint, processes: number): SandboxUsage {
  const source = { now, startedAt: createdAt, memoryLimit: undefined, written: { bytes: 0, files: 0 } };
  const { cpu, memory, io } = containerUsage(source);
  const seconds = Number(now - createdAt) / 1e9;
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
  const used = memoryBytes(source);
  const { memoryLimit } = source;
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
