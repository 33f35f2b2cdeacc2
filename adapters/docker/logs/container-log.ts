import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type Dockerode from 'dockerode';
import type { Clock } from '../../../src/base/clock/clock.js';
import type { HostPlaces } from '../../../src/base/host/host-places.js';
import { isConnectionError, unlessMissing } from '../errors.js';
import type { LogStream } from './frames.js';
import { LogFile } from './log-file.js';
import { formatMessage, type LogMessage, readMessages } from './messages.js';
import { findPosition, type Position } from './position.js';
import { Resume } from './resume.js';

export interface ContainerLogOptions {
  readonly container: Dockerode.Container;
  readonly path: string;
  readonly tty: boolean;
  readonly clock: Clock;
  readonly places: HostPlaces;
  readonly warn: (message: string, error: unknown) => void;
}

/** Time in ms that Docker may take to end the stream of an ended container. */
const END_OF_STREAM = 2000;

/** Copies Docker's log of a container into its CRI log: every message once, across interruptions. */
export class ContainerLog {
  readonly #options: ContainerLogOptions;
  readonly #file: LogFile;
  #last: Position | undefined;
  readonly #lasts: Partial<Record<LogStream, Position>> = {};
  #isPositioned = false;
  #pass: Promise<void> | undefined;
  #abort = new AbortController();

  constructor(options: ContainerLogOptions) {
    this.#options = options;
    const { path, places, warn } = options;
    const { O_APPEND, O_CREAT, O_WRONLY } = constants;
    this.#file = new LogFile(
      () => places.open(path, O_WRONLY | O_APPEND | O_CREAT, 0o640),
      (error) => warn(`log ${path} can't be written`, error),
    );
  }

  /** Creates the empty file before the container starts, as containerd does. */
  async create(): Promise<void> {
    await this.#options.places.make(dirname(this.#options.path), 0o755);
    await this.#file.reopen();
    this.#isPositioned = true;
  }

  follow(): void {
    this.#pass ??= this.#copy(this.#abort.signal).finally(() => {
      this.#pass = undefined;
    });
  }

  async finish(): Promise<void> {
    const { clock } = this.#options;
    if (this.#pass !== undefined) {
      const timer = clock.setTimer(END_OF_STREAM, () => this.#abort.abort());
      await clock.idle(this.#pass);
      timer.cancel();
    }
    await this.#copy(new AbortController().signal);
    await this.#file.close();
  }

  reopen(): Promise<void> {
    return this.#file.reopen();
  }

  async close(): Promise<void> {
    this.#abort.abort();
    await this.#pass;
    await this.#file.close();
  }

  /** Never fails: a log that can't be written must not stop its container. */
  async #copy(signal: AbortSignal): Promise<void> {
    const { container, path, warn } = this.#options;
    try {
      if (!this.#isPositioned) await this.#findPosition();
      const since = Resume.since(this.#last);
      const all = { follow: true, stdout: true, stderr: true, timestamps: true } as const;
      const stream = await unlessMissing(container.logs({ ...all, since, abortSignal: signal }));
      if (stream !== undefined) await this.#write(stream as unknown as AsyncIterable<Buffer>);
    } catch (error) {
      if (!signal.aborted && !isConnectionError(error)) warn(`log ${path} can't be copied`, error);
    } finally {
      await this.#file.flush();
    }
  }

  async #findPosition(): Promise<void> {
    const last = await findPosition(this.#options.path, this.#options.places);
    this.#isPositioned = true;
    this.#last = last;
    if (last !== undefined) this.#lasts[last.stream] = last;
  }

  async #write(stream: AsyncIterable<Buffer>): Promise<void> {
    const resume = new Resume(this.#last);
    for await (const message of readMessages(stream, this.#options.tty))
      for (const fresh of resume.accept(message)) await this.#append(fresh);
    for (const fresh of resume.end()) await this.#append(fresh);
  }

  async #append(message: LogMessage): Promise<void> {
    await this.#file.append(formatMessage(message));
    const { time, stream } = message;
    const before = this.#lasts[stream];
    const last = { time, stream, repeats: before?.time === time ? before.repeats + 1 : 1 };
    this.#lasts[stream] = last;
    this.#last = last;
  }
}
