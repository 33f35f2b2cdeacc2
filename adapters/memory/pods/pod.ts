import type { Duplex } from 'node:stream';
import { type ContainerConfig, NamespaceMode } from '../../../src/cri/gen/runtime/v1/api.js';
import type { HostProcess, SignalOrigin } from '../../../src/linux/process/host-process.js';
import { bareInit } from '../../../src/linux/process/host-view.js';
import { RESIDENT } from '../../../src/linux/process/memory.js';
import { OwnPids, type PidNamespace } from '../../../src/linux/process/pid-namespace.js';
import type { SignalName } from '../../../src/linux/process/process.js';
import { type SandboxSpec, StartFailure } from '../../../src/runtime/engine/backend.js';
import type { MemoryContainer } from '../containers/container.js';
import type { MemoryNode } from '../node.js';
import { USUAL } from '../security/confinement.js';
import { NOTHING, startCost, type UsageSource } from '../usage/usage.js';

const NO_SYSCTLS: ReadonlyMap<string, string> = new Map();

/** The user of the pause container's program (from its image). */
const NOBODY = { uid: 65_535, gid: 65_535, groups: [65_535], name: '' };

export class MemoryPod {
  readonly id: string;
  readonly createdAt: bigint;
  /** Undefined in the host's network. */
  readonly ip: string | undefined;
  /** The host PID of the sandbox process, which only holds the namespaces. */
  readonly hostPid: number;
  containers: readonly MemoryContainer[] = [];
  /** The original name of its UTS namespace; a privileged process changes it for all containers. */
  readonly givenHostname: string;
  hostname: string;
  ready = true;
  /** CPU time, in nanoseconds, that its ended containers used. */
  cpuOfEnded = 0;
  readonly #node: MemoryNode;
  readonly #namespace: string;
  #sysctls: ReadonlyMap<string, string>;
  #pids: PidNamespace | undefined;
  #links: Map<string, boolean> | undefined;

  constructor(node: MemoryNode, { id, createdAt, config }: SandboxSpec, ip: string | undefined) {
    const { network, pid } = config.linux?.securityContext?.namespaceOptions ?? {};
    this.id = id;
    this.createdAt = createdAt;
    this.ip = ip;
    this.hostPid = node.hostPids.next();
    this.#sysctls = sysctlsOf(config.linux?.sysctls ?? {});
    this.givenHostname = network === NamespaceMode.NODE ? node.hostname : config.hostname || id.slice(0, 12);
    this.hostname = this.givenHostname;
    this.#node = node;
    this.#namespace = config.metadata?.namespace ?? '';
    if (pid === NamespaceMode.NODE) this.#pids = node.hostPids;
  }

  /** Sysctls set by its config and its processes, and those that processes set for the node. */
  get sysctls(): ReadonlyMap<string, string> {
    const { sysctls } = this.#node;
    return sysctls.size === 0 ? this.#sysctls : new Map([...sysctls, ...this.#sysctls]);
  }

  /** Sets a sysctl of its namespaces or of the node. False if there are too many. */
  setSysctl(name: string, value: string): boolean {
    const { sysctls } = this.#node;
    if (this.sysctls.size >= MOST_SYSCTLS && !this.sysctls.has(name)) return false;
    if (!NAMESPACED.test(name) || this.ip === undefined) sysctls.set(name, value);
    else this.#sysctls = new Map(this.#sysctls).set(name, value);
    return true;
  }

  get ips(): readonly string[] {
    return this.ip === undefined ? [] : [this.ip];
  }

  /** Network devices that its processes have added: to the node's network, if the pod is in it. */
  get links(): Map<string, boolean> {
    this.#links ??= this.ip === undefined ? this.#node.links : new Map();
    return this.#links;
  }

  /**
   * The PID namespace of a container that starts. POD, the default, and NODE mean the pod's and the node's; TARGET is
   * another container's (cri-api NamespaceMode). Throws StartFailure for a target that isn't running.
   */
  pidsFor({ linux }: ContainerConfig): PidNamespace {
    const { pid = NamespaceMode.POD, targetId = '' } = linux?.securityContext?.namespaceOptions ?? {};
    if (pid === NamespaceMode.CONTAINER) return new OwnPids();
    if (pid === NamespaceMode.NODE) return this.#node.hostPids;
    if (pid !== NamespaceMode.TARGET) return this.#sharedPids();
    const { pids } = this.#node.container(targetId);
    if (pids !== undefined) return pids;
    throw new StartFailure(`can't join the pid namespace of container "${targetId}": it does not run`);
  }

  get pause(): HostProcess {
    return bareInit({
      hostPid: this.hostPid,
      argv: ['/pause'],
      user: NOBODY,
      container: USUAL,
      signal: (name, origin) => this.#signalPause(name, origin),
    });
  }

  /** Its own process and those of its containers. */
  get processes(): number {
    return 1 + this.containers.reduce((sum, container) => sum + container.processes().length, 0);
  }

  /** Usage charged to its cgroup: by the pause process, its containers, and containers that have ended. */
  usage(): UsageSource {
    const usages = this.containers.flatMap((container) => container.usage() ?? []);
    const sum = (of: (usage: UsageSource) => number) => usages.reduce((total, usage) => total + of(usage), 0);
    const now = this.#node.clock.now();
    return {
      now,
      startedAt: this.createdAt,
      cpu: startCost(Number(now - this.createdAt)) + this.cpuOfEnded + sum(({ cpu }) => cpu),
      cpuRate: sum(({ cpuRate }) => cpuRate),
      memory: RESIDENT + sum(({ memory }) => memory),
      memoryLimit: undefined,
      written: NOTHING,
    };
  }

  #sharedPids(): PidNamespace {
    this.#pids ??= new OwnPids(this);
    return this.#pids;
  }

  reaches(address: string): boolean {
    return this.#node.network.reaches(address, (ip) => this.#node.addresses.has(ip));
  }

  hasService(name: string): boolean {
    return this.#node.network.hasService(name, this.#namespace);
  }

  resolve(name: string): readonly string[] {
    return this.#node.network.resolve(name, this.#namespace);
  }

  connect(address: string, port: number, signal: AbortSignal): Promise<Duplex> {
    return this.#node.network.connect(address, port, signal, this.ip);
  }

  /** Pause ends on TERM and INT; nothing of the pod outlives it. */
  #signalPause(signal: SignalName, origin: SignalOrigin): void {
    const isDeadly = signal === 'TERM' || signal === 'INT' || (signal === 'KILL' && origin === 'above');
    if (isDeadly && this.ready) this.#node.host.sandboxExited(this.id);
  }
}

/** Each pod has its own values of these (pkg/kubelet/sysctl/namespace.go). */
const NAMESPACED = /^(kernel\.(sem|shm|msg)|fs\.mqueue\.|net\.)/;

/** Values that a pod sees and that differ from the defaults. */
const MOST_SYSCTLS = 200;

/** By name with dots. Most pods have none: ten thousand empty maps would take two megabytes. */
function sysctlsOf(given: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const entries = Object.entries(given);
  if (entries.length === 0) return NO_SYSCTLS;
  return new Map(entries.map(([name, value]) => [name.replaceAll('/', '.'), value]));
}
