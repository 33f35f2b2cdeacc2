import { untilAborted } from '../../../src/base/clock/aborted.js';
import { wrongState } from '../../../src/cri/errors.js';
import { Signal } from '../../../src/cri/gen/runtime/v1/api.js';
import type { ExitStatus, Program } from '../../../src/linux/process/process.js';
import type { ProcessOwner, ProcessTable } from '../../../src/linux/process/process-table.js';
import { exitCodeOf } from '../../../src/linux/process/signals.js';
import type { ContainerExit, InjectedExit, ProcessStreams } from '../../../src/runtime/engine/backend.js';
import { CpuRate } from '../usage/usage.js';
import type { MemoryContainer } from './container.js';
import type { ContainerIo } from './container-io.js';

export class ContainerRun implements ProcessOwner {
  readonly processes: ProcessTable;
  readonly io: ContainerIo;
  /** Unix nanoseconds. */
  readonly startedAt: bigint;
  readonly cpuRate: CpuRate;
  readonly #container: MemoryContainer;
  #injected: InjectedExit | undefined;
  #isOver = false;
  #waiting: (() => void)[] | undefined;

  constructor(container: MemoryContainer, processes: ProcessTable, io: ContainerIo) {
    this.#container = container;
    this.processes = processes;
    this.io = io;
    this.startedAt = container.clock.now();
    this.cpuRate = new CpuRate(this.startedAt);
  }

  begin(argv: readonly string[], program: Program, cwd: string): void {
    const { user } = this.#container;
    this.processes.start({ argv, program, cwd, user, owner: this, ...this.io.streams });
  }

  /** Sends the stop signal, and kills after `timeout` ms. Resolves when the exit has been reported. */
  async stop(timeout: number, signal: AbortSignal): Promise<void> {
    if (timeout > 0) {
      this.processes.main?.signal(signalOf(this.#container.stopSignal), 'above');
      await this.#overWithin(timeout, signal);
    }
    await this.kill();
  }

  async kill(): Promise<void> {
    this.processes.killAll({ signal: 'KILL' });
    await this.#container.clock.idle(this.#over());
  }

  async injectExit(exit: InjectedExit): Promise<void> {
    if (this.#injected) throw wrongState(`container ${this.#container.id} is ending already`);
    this.#injected = exit;
    this.processes.killAll({ code: exit.exitCode });
    await this.#container.clock.idle(this.#over());
  }

  async attach(streams: ProcessStreams, signal: AbortSignal): Promise<void> {
    const detach = this.io.attach(streams);
    await this.#container.clock.idle(Promise.race([this.#over(), untilAborted(signal)]));
    detach();
  }

  environment(): ReadonlyMap<string, string> {
    return this.#container.startEnvironment().env;
  }

  ended(status: ExitStatus): void {
    void this.#container.clock.run(() => this.#finish(status));
  }

  #over(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting = [...(this.#waiting ?? []), resolve];
    });
  }

  async #finish(status: ExitStatus): Promise<void> {
    const finishedAt = this.#container.clock.now();
    // In a shared PID namespace, the runtime kills the main process' remaining children.
    this.processes.killAll({ signal: 'KILL' });
    await this.io.close();
    this.#isOver = true;
    this.#container.finished({ ...this.#exitOf(status), finishedAt });
    for (const wake of this.#waiting ?? []) wake();
  }

  /** One OOM kill is enough, regardless of how the main process ended (containerd events.go, TaskOOM). */
  #exitOf(status: ExitStatus): Pick<ContainerExit, 'exitCode' | 'reason'> {
    const exitCode = this.#injected?.exitCode ?? exitCodeOf(status);
    const reason = this.#injected?.reason ?? (this.processes.oomKills > 0 ? 'OOMKilled' : undefined);
    return { exitCode, ...(reason !== undefined && { reason }) };
  }

  /** Waits for the end, at most `timeout` ms; rejects when the caller gives up. */
  async #overWithin(timeout: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#container;
    const waited = new AbortController();
    const expired = clock.sleep(timeout, AbortSignal.any([waited.signal, signal]));
    try {
      await clock.idle(Promise.race([this.#over(), expired]));
    } finally {
      waited.abort();
      expired.catch(() => {});
    }
  }
}

/** `TERM` for SIGNAL_SIGTERM, `RTMIN+1` for SIGNAL_SIGRTMINPLUS1. */
const signalOf = (signal: Signal): string =>
  (Signal[signal] ?? 'SIGNAL_SIGTERM').replace('SIGNAL_SIG', '').replace('PLUS', '+').replace('MINUS', '-');
