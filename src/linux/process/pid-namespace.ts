import type { HostProcess } from './host-process.js';
import { HostView } from './host-view.js';
import type { SeenProcess, SignalName } from './process.js';

/** Processes that come and go together: those of a container. */
export interface ContainerProcesses {
  list(): readonly HostProcess[];
  /** Ends them all at once, as the kernel does when pid 1 of their namespace has gone. */
  killAll(status: { readonly signal: 'KILL' }): void;
}

/** A pid namespace: numbers its processes, and finds them by their numbers. */
export interface PidNamespace {
  /** The number of a new process, whose number on the host is given. */
  number(hostPid: number): number;
  join(crew: ContainerProcesses): void;
  leave(crew: ContainerProcesses): void;
  /** All live processes in it and below it, by pid. */
  list(): readonly SeenProcess[];
  /** Sends a signal from inside to one of them; false if there is no such process. */
  kill(pid: number, signal: SignalName): boolean;
  /** Pid 1 has gone: nothing outlives it. */
  end(): void;
}

const byPid = (one: SeenProcess, other: SeenProcess): number => one.pid - other.pid;

/** A namespace of one container, or of a pod whose containers see one another; then pid 1 is the pod's own process. */
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

/** The pid namespace of the simulated node: every process is in it, whatever other namespace it lives in. */
export class HostPids implements PidNamespace {
  readonly #crews = new Set<ContainerProcesses>();
  readonly #own: () => Iterable<HostProcess>;
  #last = 1;

  /** `own` are processes that no container has: the node's init, the sandboxes' own ones. */
  constructor(own: () => Iterable<HostProcess> = () => []) {
    this.#own = own;
  }

  /** The number of a new process, wherever it lives. */
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
