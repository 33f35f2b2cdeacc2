import type { LinuxContainerSecurityContext } from '../../../src/cri/gen/runtime/v1/api.js';
import type {
  ContainerSecurity,
  ContainerView,
  SeenProcess,
  SignalName,
} from '../../../src/linux/process/process.js';
import { confinementOf } from '../security/confinement.js';
import type { MemoryContainer } from './container.js';

export class LiveView implements ContainerView {
  readonly id: string;
  readonly capabilities: readonly string[];
  readonly security: ContainerSecurity;
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly #container: MemoryContainer;

  /** Throws `invalid` for an invalid security context. */
  constructor(container: MemoryContainer, context: LinuxContainerSecurityContext | undefined) {
    const { capabilities, security } = confinementOf(context);
    this.id = container.id;
    this.capabilities = capabilities;
    this.security = security;
    this.privileged = context?.privileged ?? false;
    this.readonlyRootfs = context?.readonlyRootfs ?? false;
    this.#container = container;
  }

  get ips(): readonly string[] {
    return this.#container.pod.ips;
  }

  get sysctls(): ReadonlyMap<string, string> {
    return this.#container.pod.sysctls;
  }

  setSysctl(name: string, value: string): boolean {
    return this.#container.pod.setSysctl(name, value);
  }

  get hostname(): string {
    return this.#container.pod.hostname;
  }

  get links(): Map<string, boolean> {
    return this.#container.pod.links;
  }

  setHostname(name: string): void {
    this.#container.pod.hostname = name;
  }

  reaches(address: string): boolean {
    return this.#container.pod.reaches(address);
  }

  resolve(name: string): readonly string[] {
    return this.#container.pod.resolve(name);
  }

  get oomScore(): number {
    return Number(this.#container.resources.linux?.oomScoreAdj ?? 0n);
  }

  get memoryLimit(): number | undefined {
    return this.#container.memoryLimit;
  }

  processes(): readonly SeenProcess[] {
    return this.#container.visibleProcesses();
  }

  kill(pid: number, signal: SignalName): boolean {
    return this.#container.signal(pid, signal);
  }

  ownProcesses(): readonly SeenProcess[] {
    return this.#container.processes();
  }

  get oomKills(): number {
    return this.#container.oomKills;
  }

  get cpuUsed(): number {
    return this.#container.cpuUsed;
  }

  get memoryUsed(): number {
    return this.#container.memoryUsed;
  }
}
