import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { millisToNanos } from '../../../base/clock/clock.js';
import type { Participant, Turn } from '../../../base/clock/participant.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import type { Release } from '../../../base/clock/release.js';
import { turn } from '../../../base/clock/turn.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { type Guarded, spawnGuarded } from '../program/guarded-process.js';
import { type Channel, LAST, openChannel, type Question } from './channel.js';
import { lastWords } from './last-words.js';

interface LogReader {
  read(): void;
  close(): void;
}

/** Bytes per read. */
const CHUNK = 64 * 1024;
const LONGEST_LINE = 16 * 1024;

export interface ClockedProgramOptions {
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly command: readonly string[];
  readonly directory: string;
  readonly log: string;
  /** Called with each line of the log at the time at which it was written. */
  readonly said: (line: string) => void;
  /**
   * The program exited by itself, or was killed because it asked nothing for a minute of real time; its resources are
   * free. `how` has its exit code and last words.
   */
  readonly ended: (how: string) => void;
  /** Environment in addition to PATH and the settings of its clock. */
  readonly env?: Readonly<Record<string, string>>;
  /** ms by which its clock is ahead of `clock`; negative: behind. Default 0. */
  readonly ahead?: number;
  /** Equal runs ask equal questions at equal times (Unix nanoseconds). */
  readonly asked?: (question: Question, now: bigint) => void;
}

export interface ClockedProgram {
  /** Kills it like SIGKILL. Resolves when its sockets are closed; the clock waits for that. */
  kill(): Promise<void>;
  /**
   * Stops it for so many ms, or until `resume`, while time passes, as SIGSTOP does. Of several pauses, the one that ends
   * last counts.
   */
  pause(duration?: number): void;
  resume(): void;
}

/** Unix nanoseconds: later than all others. */
const NEVER = 2n ** 63n;

/** Longest real time without a question, in ms. */
const PATIENCE = 60_000;
/** Real time in ms after which this process handles its own events while the program keeps running. */
const BLOCKED = 20_000;

/**
 * Starts a program that was built for virtual time, at its first turn. It and this process take turns and never run at
 * the same time, so their view of each other does not depend on the machine.
 */
export function startOnClock(options: ClockedProgramOptions): ClockedProgram {
  const started = new ProgramOnClock(options);
  started.join();
  return started;
}

function run(options: ClockedProgramOptions): Running {
  const { clock, seed, command, directory, log, said } = options;
  const [program = '', ...args] = command;
  const ahead = millisToNanos(options.ahead ?? 0);
  const channel = openChannel(directory, ahead);
  const before = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  let over = (_: string) => {};
  const gone = new Promise<string>((resolve) => {
    over = resolve;
  });
  const guarded = spawnGuarded({
    program,
    args,
    directory,
    log,
    ended: (reason) => over(reason),
    channel: channel.programEnds,
    env: {
      PATH: process.env.PATH,
      ...options.env,
      MOCKRI_TIME: String(clock.now() + ahead),
      MOCKRI_TIME_SEED: String(seed),
    },
  });
  channel.handOver();
  const spoken = createLogReader(log, before, said);
  return { channel, guarded, spoken, gone, before };
}

/** A running process and its handles in this one. */
interface Running {
  readonly channel: Channel;
  readonly guarded: Guarded;
  readonly spoken: LogReader;
  /** Bytes of the log when it started. */
  readonly before: number;
  /** Resolves with the exit code or the signal. */
  readonly gone: Promise<string>;
}

class ProgramOnClock implements ClockedProgram, Participant {
  readonly #options: ClockedProgramOptions;
  /** Undefined before its first turn. */
  #running: Running | undefined;
  readonly #real = createRealClock();
  #question: Question | undefined;
  /** Number of messages sent to programs when this one last looked. */
  #seen = -1;
  #isGone = false;
  #isKilled = false;
  #isStuck = false;
  /** Unix nanoseconds. */
  #pausedUntil = 0n;
  #left: Release = () => {};

  constructor(options: ClockedProgramOptions) {
    this.#options = options;
  }

  join(): void {
    this.#left = this.#options.clock.join(this);
  }

  /** Due now until it has asked its first question. */
  get next(): bigint | undefined {
    if (this.#isGone) return undefined;
    if (this.#question === undefined) return this.#options.clock.now();
    if (!this.#isPaused) return this.#question.next;
    return this.#pausedUntil === NEVER ? undefined : this.#pausedUntil;
  }

  isBehind(sent: number): boolean {
    return !this.#isGone && !this.#isPaused && sent !== this.#seen;
  }

  proceed(to: Turn): boolean | Promise<true> {
    if (this.#isGone) return false;
    const { now, until, sent } = to;
    this.#running ??= run(this.#options);
    const { channel, spoken } = this.#running;
    if (this.#question !== undefined) {
      if (this.#isPaused) return false;
      const isDue = this.#question.next !== undefined && this.#question.next <= now;
      if (!isDue && sent() === this.#seen) return false;
      if (!channel.answer(this.#question, now, until)) this.#question = undefined;
    }
    const asked = this.#ask(to, this.#running);
    this.#seen = sent();
    if (!this.#isGone) spoken.read();
    return asked;
  }

  async kill(): Promise<void> {
    this.#isKilled = true;
    if (this.#isGone) return;
    this.#running?.guarded.signalInside('SIGKILL');
    await this.#leave();
  }

  get #isPaused(): boolean {
    return this.#options.clock.now() < this.#pausedUntil;
  }

  pause(duration?: number): void {
    const until = duration === undefined ? NEVER : this.#options.clock.now() + millisToNanos(duration);
    if (until > this.#pausedUntil) this.#pausedUntil = until;
  }

  resume(): void {
    this.#pausedUntil = 0n;
  }

  async #leave(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    if (this.#running === undefined) return this.#left();
    const { channel, gone, spoken, before } = this.#running;
    channel.close();
    await this.#options.clock.run(async () => {
      const code = await gone;
      this.#left();
      spoken.read();
      spoken.close();
      if (this.#isKilled && !this.#isStuck) return;
      const how = this.#isStuck ? 'it ran for a minute of real time without waiting' : code;
      this.#options.ended(`${how}${lastWords(this.#options.log, before)}`);
    });
  }

  /** Waits for the next question. If that takes a long time, this process handles its own events meanwhile. */
  #ask(to: Turn, running: Running): true | Promise<true> {
    return this.#read(to, running) === 'tick' ? this.#askPatiently(this.#real.elapsed(), to, running) : true;
  }

  async #askPatiently(since: number, to: Turn, running: Running): Promise<true> {
    for (;;) {
      if (this.#read(to, running) !== 'tick' || this.#isGone) return true;
      if (this.#real.elapsed() - since > BLOCKED) await turn();
      if (this.#real.elapsed() - since > PATIENCE && !this.#isStuck) {
        this.#isStuck = true;
        running.guarded.signalInside('SIGQUIT');
      }
    }
  }

  /** Takes the next question. */
  #read(to: Turn, running: Running): Question | 'tick' | 'end' {
    const read = running.channel.read();
    if (this.#isGone) return read;
    if (typeof read === 'object') {
      to.reach(read.reached);
      this.#options.asked?.(read, this.#options.clock.now());
      if (read.trace !== this.#question?.trace) {
        // The program need not check for its own actions.
        to.acted();
        this.#seen++;
      }
      if (read.sequence === LAST) return this.#read(to, running);
      this.#question = read;
    } else if (read === 'end') {
      this.#question = undefined;
      void this.#leave();
    }
    return read;
  }
}

function createLogReader(file: string, from: number, line: (text: string) => void): LogReader {
  const descriptor = openSync(file, 'r');
  const chunk = Buffer.alloc(CHUNK);
  let at = from;
  let begun = '';
  return {
    read: () => {
      for (;;) {
        const count = readSync(descriptor, chunk, 0, CHUNK, at);
        if (count === 0) return;
        at += count;
        const lines = (begun + chunk.toString('utf8', 0, count)).split('\n');
        begun = (lines.pop() ?? '').slice(0, LONGEST_LINE);
        for (const each of lines) line(each.slice(0, LONGEST_LINE));
      }
    },
    close: () => closeSync(descriptor),
  };
}
