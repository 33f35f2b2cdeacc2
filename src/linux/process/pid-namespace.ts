import type { HostProcess } from './host-process.js';
import { HostView } from './host-view.js';
import type { SeenProcess, SignalName } from './process.js';

export interface ContainerProcesses {
  list(): readonly HostProcess[];
  /** Ends them all immediately, as the kernel does when PID 1 of their namespace has ended. */
  killAll(status: { readonly signal: 'KILL' }): void;
}

export interface PidNamespace {
  /** The PID of a new process with this host PID. */
  number(hostPid: number): number;
  join(crew: ContainerProcesses): void;
  leave(crew: ContainerProcesses): void;
  list(): readonly SeenProcess[];
  /** Sends a signal from inside; false for an unknown process. */
  kill(pid: number, signal: SignalName): boolean;
  /** PID 1 has ended: nothing outlives it. */
  end(): void;
}

const byPid = (one: SeenProcess, other: SeenProcess): number => one.pid - other.pid;

/** The namespace of one container, or of a pod with a shared one; then PID 1 is the pod's own process. */
export class OwnPids implements PidNamespace {
  readonly #pod: { readonly pause: HostProcess } | undefined;
  #crews: readonly ContainerProcesses[] = [];
  #last: number;

  constructor(pod?: { readonly pause: HostProcess }) {
    this.#pod = pod;
    this.#last = pod ? 1 : 0;
  }

  number(): number {
    return ++this.#last;
  }

  join(crew: ContainerProcesses): void {
    this.#crews = this.#crews.concat(crew);
  }

  leave(crew: ContainerProcesses): void {
    this.#crews = this.#crews.filter((one) => one !== crew);
  }

  list(): readonly HostProcess[] {
    const all = this.#crews.flatMap((crew) => crew.list());
    return (this.#pod ? [this.#pod.pause, ...all] : all).sort(byPid);
  }

  kill(pid: number, signal: SignalName): boolean {
    const process = this.list().find((one) => one.pid === pid);
    process?.signal(signal, 'inside');
    return process !== undefined;
  }

  end(): void {
    for (const crew of this.#crews) crew.killAll({ signal: 'KILL' });
  }
}

/** The largest pid of Linux (PID_MAX_LIMIT). */
const MOST_PIDS = 4_194_304;

/**
 * The PID namespace of the simulated node: it contains the processes of all namespaces. A verbose status shows its
 * pids: except for init, they are pids that no process of this machine has.
 */
export class HostPids implements PidNamespace {
  readonly #crews = new Set<ContainerProcesses>();
  readonly #own: () => Iterable<HostProcess>;
  #last = MOST_PIDS;

  /** `own` are processes outside containers: the node's init and the sandboxes' own ones. */
  constructor(own: () => Iterable<HostProcess> = () => []) {
    this.#own = own;
  }

  next(): number {
    return ++this.#last;
  }

  number(hostPid: number): number {
    return hostPid;
  }

  join(crew: ContainerProcesses): void {
    this.#crews.add(crew);
  }

  leave(crew: ContainerProcesses): void {
    this.#crews.delete(crew);
  }

  list(): readonly SeenProcess[] {
    return this.#all()
      .map((process) => new HostView(process))
      .sort(byPid);
  }

  kill(pid: number, signal: SignalName): boolean {
    const process = this.#all().find(({ hostPid }) => hostPid === pid);
    process?.signal(signal, 'above');
    return process !== undefined;
  }

  /** The node's init never ends. */
  end(): void {}

  #all(): readonly HostProcess[] {
    return [...this.#own(), ...[...this.#crews].flatMap((crew) => crew.list())];
  }
}
