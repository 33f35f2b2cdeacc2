import type { Random } from '../../../../src/base/random/random.js';
import { ContainerAdjustment, ContainerUpdate } from '../../../../src/runtime/nri/gen/nri/v1alpha1/api.js';

/** A plugin's reply to CreateContainer. */
export type Planned = ContainerAdjustment | 'refused' | undefined;

/** Each plugin's replies about a container, in the order of the plugins. */
interface PlannedContainer {
  readonly name: string;
  readonly adjust: readonly Planned[];
  /** To UpdateContainer. */
  readonly shares: readonly (bigint | undefined)[];
  /** Field of the CRI's config. */
  readonly config: object;
  readonly steps: readonly Step[];
}

/** The client's actions on a container after its creation. */
export type Step = 'start' | 'update' | 'stop' | 'remove' | 'unsolicited';

/** One pod and its events. */
export interface Life {
  readonly name: string;
  readonly containers: readonly PlannedContainer[];
  /** Whether the pod is stopped before it is removed. */
  readonly isStopped: boolean;
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)] as T;
const chance = (random: Random, probability: number): boolean => random.next() < probability;

/** A pod of one or two containers; plugins adjust them, sometimes the same field. */
export function randomLife(random: Random, name: string, plugins: number): Life {
  const count = chance(random, 0.3) ? 2 : 1;
  return {
    name,
    containers: Array.from({ length: count }, (_, index) => plannedContainer(random, `c${index}`, plugins)),
    isStopped: chance(random.fork('stop'), 0.8),
  };
}

function plannedContainer(random: Random, name: string, plugins: number): PlannedContainer {
  const runs = chance(random, 0.6);
  const each = <T>(make: () => T) => Array.from({ length: plugins }, make);
  return {
    name,
    adjust: each(() => plannedAnswer(random, runs)),
    shares: each(() => (chance(random, 0.3) ? BigInt(2 + Math.floor(random.next() * 500)) : undefined)),
    config: randomConfig(random, name),
    steps: runs ? pick(random, RUNNING) : pick(random, CREATED),
  };
}

function plannedAnswer(random: Random, runs: boolean): Planned {
  const dice = random.next();
  if (dice < 0.03) return 'refused';
  return dice < 0.88 ? randomAdjustment(random, runs) : undefined;
}

const RUNNING: readonly (readonly Step[])[] = [
  ['start', 'stop', 'remove'],
  ['start', 'update', 'stop', 'remove'],
  ['start', 'unsolicited', 'update', 'remove'],
  ['start', 'remove'],
  ['start', 'update'],
];
const CREATED: readonly (readonly Step[])[] = [['remove'], ['stop', 'remove'], ['update', 'remove'], []];

/** A client's config. */
function randomConfig(random: Random, name: string): object {
  return {
    envs: [
      // Differs from the image's.
      { key: 'PATH', value: Buffer.from('/usr/bin:/bin') },
      ...(chance(random, 0.5)
        ? [
            { key: 'HOME', value: Buffer.from('/root') },
            { key: 'A', value: Buffer.from('client') },
          ]
        : []),
    ],
    // CRI-O 1.36 takes a container's name from the kubelet's label.
    labels: { 'io.kubernetes.container.name': name, ...(chance(random, 0.5) && { app: 'web' }) },
    ...(chance(random, 0.5) && { annotations: { note: 'client' } }),
    ...(chance(random, 0.3) && { workingDir: '/tmp' }),
    ...(chance(random, 0.3) && {
      mounts: [{ containerPath: '/data', hostPath: '/tmp', readonly: chance(random, 0.5) }],
    }),
    linux: {
      ...(chance(random, 0.7) && {
        resources: {
          cpuShares: BigInt(2 + Math.floor(random.next() * 1000)),
          memoryLimitInBytes: chance(random, 0.5) ? 64n << 20n : 0n,
          ...(chance(random, 0.3) && { cpuQuota: 50_000n, cpuPeriod: 100_000n }),
        },
      }),
      securityContext: {
        // As a kubelet: CRI-O has no process for the sandbox, whose namespace could be shared.
        namespaceOptions: { pid: 1 },
        ...(chance(random, 0.3) && { runAsUser: { value: 1000n } }),
      },
    },
  };
}

type Part = (random: Random) => object;

/** Parts that can be adjusted in a running container. */
const harmless: readonly Part[] = [
  (random) => ({ env: [{ key: pick(random, ['A', 'B', '-A', 'HOME']), value: pick(random, ['1', '2']) }] }),
  (random) => ({ env: [{ key: '-B' }, { key: 'B', value: pick(random, ['3', '4']) }] }),
  (random) => ({ annotations: { [pick(random, ['note', 'other', '-note'])]: pick(random, ['x', 'y']) } }),
  () => ({ annotations: { '-other': '', other: 'z' } }),
  (random) => ({
    mounts: [
      {
        destination: pick(random, ['/data', '/more', '/mnt/deep']),
        source: '/tmp',
        type: 'bind',
        options: ['rbind', pick(random, ['ro', 'rw'])],
      },
    ],
  }),
  (random) => ({ mounts: [{ destination: pick(random, ['-/data', '-/more', '-/dev/mqueue']) }] }),
  (random) => ({
    rlimits: [{ type: pick(random, ['RLIMIT_NOFILE', 'RLIMIT_CORE']), hard: 512n, soft: 256n }],
  }),
  () => ({ args: ['sleep', '999'] }),
  () => ({ args: ['', 'sleep', '998'] }),
  (random) => ({ linux: { resources: { cpu: { shares: { value: BigInt(pick(random, [128, 256])) } } } } }),
  () => ({ linux: { resources: { memory: { limit: { value: 96n << 20n } } } } }),
  () => ({ linux: { devices: [{ path: '/dev/extra', type: 'c', major: 1n, minor: 3n }] } }),
  () => ({ linux: { resources: { pids: { limit: 100n } } } }),
  () => ({ hooks: { poststop: [{ path: '/bin/true', args: ['true'] }] } }),
];

/** Parts that can be adjusted only if nothing runs. */
const harmful: readonly Part[] = [
  () => ({
    hooks: { prestart: [{ path: '/bin/true', args: ['hook'], env: ['A=1'], timeout: { value: 3n } }] },
  }),
  () => ({ linux: { oomScoreAdj: { value: 321n } } }),
  () => ({ linux: { cgroupsPath: '/somewhere/else' } }),
  () => ({ linux: { ioPriority: { class: 2, priority: 4 } } }),
  () => ({ linux: { scheduler: { policy: 3, nice: 5 } } }),
  () => ({ linux: { sysctl: { 'net.ipv4.ip_forward': '1' } } }),
  () => ({ linux: { namespaces: [{ type: 'cgroup' }] } }),
  () => ({ linux: { namespaces: [{ type: '-ipc' }] } }),
  () => ({ linux: { resources: { unified: { 'memory.high': '1000000' } } } }),
  () => ({ linux: { resources: { hugepageLimits: [{ pageSize: '2MB', limit: 4194304n }] } } }),
  () => ({
    linux: {
      resources: { cpu: { cpus: '0', mems: '0', quota: { value: 20_000n }, period: { value: 50_000n } } },
    },
  }),
  () => ({
    linux: { resources: { cpu: { realtimeRuntime: { value: 1000n }, realtimePeriod: { value: 5000n } } } },
  }),
  () => ({
    linux: {
      resources: {
        memory: { swap: { value: 1n << 30n }, reservation: { value: 1n << 20n }, swappiness: { value: 7n } },
      },
    },
  }),
  () => ({ linux: { netDevices: { eth7: { name: 'net7' } } } }),
  () => ({ linux: { rdt: { closId: { value: 'gold' }, schemata: { value: ['L3:0=f'] } } } }),
  () => ({
    linux: { seccompPolicy: { defaultAction: 'SCMP_ACT_ALLOW', architectures: ['SCMP_ARCH_X86_64'] } },
  }),
];

function randomAdjustment(random: Random, runs: boolean): ContainerAdjustment {
  const from = runs ? harmless : [...harmless, ...harmful];
  const count = 1 + Math.floor(random.next() * 3);
  const parts = Array.from({ length: count }, () =>
    ContainerAdjustment.fromPartial(pick(random, from)(random)),
  );
  return parts.reduce(merged);
}

/**
 * Two adjustments of one plugin: concatenating protobuf messages merges them. Takes the arguments of one of them: with
 * both, the program would end immediately, and later results would be chance.
 */
function merged(one: ContainerAdjustment, other: ContainerAdjustment): ContainerAdjustment {
  const all = [one, other].map((each) => ContainerAdjustment.encode(each).finish());
  return {
    ...ContainerAdjustment.decode(Buffer.concat(all)),
    args: one.args.length > 0 ? one.args : other.args,
  };
}

/**
 * Removes fields that CRI-O 1.36 can't handle: limits that the machine's cgroups lack, because CRI-O creates the
 * container's process in CreateContainer; and sysctls, which crash CRI-O (docs/results/runtimes.md).
 */
export const forCrio = (life: Life): Life => ({
  ...life,
  containers: life.containers.map((container) => ({
    ...container,
    adjust: container.adjust.map((planned) => {
      if (planned === undefined || planned === 'refused') return planned;
      const { linux } = planned;
      if (linux !== undefined) linux.sysctl = {};
      const resources = linux?.resources;
      if (resources === undefined) return planned;
      resources.hugepageLimits = [];
      resources.unified = {};
      if (resources.cpu !== undefined) {
        resources.cpu.realtimeRuntime = undefined;
        resources.cpu.realtimePeriod = undefined;
      }
      return planned;
    }),
  })),
});

export const sharesUpdate = (containerId: string, shares: bigint): ContainerUpdate =>
  ContainerUpdate.fromPartial({ containerId, linux: { resources: { cpu: { shares: { value: shares } } } } });
