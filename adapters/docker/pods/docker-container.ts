import type Dockerode from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { untilAborted } from '../../../src/base/clock/aborted.js';
import { CriError } from '../../../src/cri/errors.js';
import { type ContainerExit, type ContainerSpec, StartFailure } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { isConnectionError, messageOf, statusOf, toCriError, unlessMissing } from '../errors.js';
import { dockerName } from '../labels.js';
import { ContainerLog } from '../logs/container-log.js';
import { parseTime } from '../times.js';
import { untilAnswered } from './until-answered.js';

/** In ms. When Docker goes down, some requests fail before the monitor notices. */
const ASK_AGAIN = 100;

/** In ms. Docker handles the kernel's OOM notice separately from the exit, which it may report first. */
const OOM_NOTICE = 500;

type State = ContainerInspectInfo['State'];
type Phase = 'created' | 'starting' | 'running' | 'ending' | 'exited';

export class DockerContainer {
  readonly spec: ContainerSpec;
  readonly docker: Dockerode.Container;
  readonly #context: Context;
  readonly #log: ContainerLog | undefined;
  readonly #signal: string;
  #phase: Phase = 'created';
  #starting: Promise<unknown> = Promise.resolve();
  readonly #ended: Promise<void>;
  #end: () => void = () => {};
  #wasAsked = false;
  #wasKilled = false;
  #checking: Promise<void> = Promise.resolve();
  readonly #closing = new AbortController();
  removing = false;
  /** Unix nanoseconds; undefined before. */
  startedAt: bigint | undefined;

  constructor(context: Context, spec: ContainerSpec, stopSignal: string) {
    this.spec = spec;
    this.docker = context.docker.getContainer(dockerName(spec.id));
    this.#context = context;
    this.#signal = stopSignal;
    this.#ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    const { logPath: path, config } = spec;
    if (path !== undefined)
      this.#log = new ContainerLog({ ...context, container: this.docker, path, tty: config.tty });
  }

  #hasEnded(): boolean {
    return this.#phase === 'exited';
  }

  get isIdle(): boolean {
    return this.#phase === 'created' || this.#phase === 'exited';
  }

  get isRunning(): boolean {
    return this.#phase === 'running';
  }

  async adopt(running: boolean, exited: boolean): Promise<void> {
    if (running) {
      this.#phase = 'running';
      this.#log?.follow();
    } else if (exited) {
      this.#phase = 'exited';
      await this.#log?.finish();
    }
  }

  /** Throws StartFailure when Docker can't start it. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#log?.create().catch((error: unknown) => {
      this.#context.warn(`log of container ${this.spec.id} can't be made`, error);
    });
    this.#phase = 'starting';
    const start = this.#start(signal);
    this.#starting = start.catch(() => {});
    try {
      await this.#context.clock.idle(start);
      this.#phase = 'running';
    } catch (error) {
      this.#phase = error instanceof StartFailure ? 'exited' : 'created';
      throw error;
    }
    this.#log?.follow();
  }

  async #start(signal: AbortSignal): Promise<void> {
    try {
      await this.docker.start();
      const { State: state } = await this.docker.inspect();
      this.startedAt = parseTime(state.StartedAt);
    } catch (error) {
      if (statusOf(error) === 404) throw toCriError(error, 'starting the container');
      if (!isConnectionError(error)) throw new StartFailure(messageOf(error));
      // Whether it was started is unknown until Docker is back.
      this.startedAt = await this.#askWhenStarted(signal);
      if (this.startedAt === 0n) throw toCriError(error, 'starting the container');
    }
  }

  async #askWhenStarted(signal: AbortSignal): Promise<bigint> {
    for (;;) {
      await this.#context.untilConnected(signal);
      try {
        return parseTime((await this.docker.inspect()).State.StartedAt);
      } catch (error) {
        if (!isConnectionError(error)) throw toCriError(error, 'starting the container');
        await this.#context.clock.sleep(ASK_AGAIN);
      }
    }
  }

  /** Sends the stop signal, and SIGKILL after `timeout` ms; a later call may shorten the wait. */
  async stop(timeout: number, signal: AbortSignal): Promise<void> {
    if (this.#phase === 'created' || this.#phase === 'exited') return;
    const { clock } = this.#context;
    if (timeout > 0) {
      if (!this.#wasAsked) await this.#kill(this.#signal);
      this.#wasAsked = true;
      const waiting = new AbortController();
      const stopWaiting = () => waiting.abort();
      signal.addEventListener('abort', stopWaiting, { once: true });
      void this.#ended.then(stopWaiting);
      await clock.sleep(timeout, waiting.signal).catch(() => {});
      signal.removeEventListener('abort', stopWaiting);
    }
    if (signal.aborted) return;
    if (!this.#hasEnded()) await this.#kill('SIGKILL');
    await clock.idle(Promise.race([this.#ended, untilAborted(signal)]));
  }

  /** A container that has just ended can't be signalled; its exit may then have been missed. */
  async #kill(signal: string): Promise<void> {
    this.#wasKilled ||= signal === 'SIGKILL';
    try {
      await this.docker.kill({ signal });
    } catch (error) {
      const status = statusOf(error);
      if (status !== 409 && status !== 404) throw toCriError(error, `sending ${signal} to the container`);
      void this.checkEnd();
    }
  }

  /**
   * Checks whether the container has ended, and reports its exit once. If Docker no longer has the container, the
   * event's exit counts. Checks run one after the other: an earlier result may be out of date.
   */
  checkEnd(told: Exit = LOST): Promise<void> {
    this.#checking = this.#checking.then(() => this.#checkEnd(told));
    return this.#checking;
  }

  /** The container is removed, or its sandbox is gone: reports its exit if it ran, and stops asking Docker. */
  async end(): Promise<void> {
    await this.checkEnd();
    if (this.#phase === 'running') await this.#reportEnd(LOST);
    await this.close();
  }

  /** Whether the OOM killer may have ended it although Docker has not noticed yet. */
  #mayLackOom({ ExitCode, OOMKilled }: State): boolean {
    const limit = this.spec.config.linux?.resources?.memoryLimitInBytes ?? 0n;
    return ExitCode === 137 && !OOMKilled && !this.#wasKilled && limit > 0n;
  }

  async #checkEnd(told: Exit): Promise<void> {
    await this.#starting;
    if (this.#phase !== 'running') return;
    this.#phase = 'ending';
    const ask = async (): Promise<Exit | 'running'> => {
      const info = await unlessMissing(this.docker.inspect());
      if (info?.State.Running) return 'running';
      if (info === undefined) return told;
      if (!this.#mayLackOom(info.State)) return exitOf(info.State);
      await this.#context.clock.sleep(OOM_NOTICE, this.#closing.signal);
      return exitOf((await unlessMissing(this.docker.inspect()))?.State ?? info.State);
    };
    const what = `container ${this.spec.id}`;
    const exit = await untilAnswered(this.#context, what, ask, this.#closing.signal);
    if (exit === 'running') {
      this.#phase = 'running';
      this.resume();
    } else if (exit !== undefined) await this.#reportEnd(exit);
  }

  /** The log must be complete before clients see the exit (termination message from the log). */
  async #reportEnd({ finishedAt, ...exit }: Exit): Promise<void> {
    const { clock, host, warn } = this.#context;
    await this.#log?.finish().catch((error: unknown) => {
      warn(`log of container ${this.spec.id} can't be closed`, error);
    });
    this.#phase = 'exited';
    host.containerExited({ containerId: this.spec.id, ...exit, finishedAt: finishedAt || clock.now() });
    this.#end();
  }

  /** Docker is back: continues to copy the log. */
  resume(): void {
    if (this.#phase === 'running') this.#log?.follow();
  }

  async reopenLog(): Promise<void> {
    const { id, logPath } = this.spec;
    if (this.#log === undefined)
      throw new CriError('wrong-state', `container "${id}" has no log: its log_path is empty`);
    await this.#log.reopen().catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code ?? cause.message;
      throw new CriError('wrong-state', `the log ${logPath} can't be opened: ${why}`, { cause });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#log?.close();
  }
}

export type Exit = Omit<ContainerExit, 'containerId'>;

/** The exit of a removed container, as containerd reports it; its time is unknown too. */
export const LOST: Exit = { exitCode: 255, reason: 'Unknown', finishedAt: 0n };

export function exitOf({ ExitCode, OOMKilled, Error: message, FinishedAt }: State): Exit {
  return {
    exitCode: ExitCode,
    ...(OOMKilled && { reason: 'OOMKilled' }),
    ...(message !== '' && { message }),
    finishedAt: parseTime(FinishedAt),
  };
}
