import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Turn } from '../../../base/clock/participant.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { turn } from '../../../base/clock/turn.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { spawnGuarded } from '../program/guarded-process.js';
import { LAST, openChannel, type Question } from './channel.js';

interface LogReader {
  /** Passes on lines added since the last call. */
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
  /** The program exited by itself and its resources are free. */
  readonly ended: (code: string) => void;
  /**
   * The program ran for a minute of real time without a question and was killed. The log has the stacks of its
   * goroutines.
   */
  readonly stuck: () => void;
}

export interface ClockedProgram {
  /** Kills it like SIGKILL. Resolves when its sockets are closed; the clock waits for that. */
  kill(): Promise<void>;
}

/** Longest real time without a question, in ms. */
const PATIENCE = 60_000;
/** Real time in ms after which this process handles its own events while the program keeps running. */
const BLOCKED = 20_000;

/**
 * Starts a program that was built for virtual time. It and this process take turns and never run at the same time, so
 * what they see of each other does not depend on the machine.
 */
export function startOnClock(options: ClockedProgramOptions): ClockedProgram {
  const { clock, seed, command, directory, log } = options;
  const [program = '', ...args] = command;
  const channel = openChannel(directory);
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
    env: { PATH: process.env.PATH, MOCKRI_TIME: String(clock.now()), MOCKRI_TIME_SEED: String(seed) },
  });
  channel.handOver();
  const spoken = createLogReader(log, before, options.said);
  const real = createRealClock();
  let question: Question | undefined;
  /** Number of messages sent to programs when this one last looked. */
  let seen = -1;
  let isGone = false;
  let isKilled = false;
  let isStuck = false;
  const leave = async (): Promise<void> => {
    if (isGone) return;
    isGone = true;
    channel.close();
    await clock.run(async () => {
      const code = await gone;
      left();
      spoken.read();
      spoken.close();
      if (isStuck) options.stuck();
      else if (!isKilled) options.ended(code);
    });
  };
  /** Waits for the next question. If it takes long, this process handles its own events meanwhile. */
  const ask = (to: Turn): true | Promise<true> => {
    const read = next(to);
    return read === 'tick' ? askPatiently(real.elapsed(), to) : true;
  };
  const next = (to: Turn): Question | 'tick' | 'end' => {
    const read = channel.read();
    if (isGone) return read;
    if (typeof read === 'object') {
      to.reach(read.reached);
      if (read.trace !== question?.trace) act(to);
      if (read.sequence === LAST) return next(to);
      question = read;
    } else if (read === 'end') {
      question = undefined;
      void leave();
    }
    return read;
  };
  const act = ({ acted }: Turn): void => {
    acted();
    seen++;
  };
  const askPatiently = async (since: number, to: Turn): Promise<true> => {
    for (;;) {
      const read = next(to);
      if (read !== 'tick' || isGone) return true;
      if (real.elapsed() - since > BLOCKED) await turn();
      if (real.elapsed() - since > PATIENCE && !isStuck) {
        isStuck = true;
        guarded.signalInside('SIGQUIT');
      }
    }
  };
  const left = clock.join({
    // Due now until it has asked its first question.
    get next() {
      if (isGone) return undefined;
      return question === undefined ? clock.now() : question.next;
    },
    proceed: (to) => {
      if (isGone) return false;
      const { now, until, sent } = to;
      if (question !== undefined) {
        const isDue = question.next !== undefined && question.next <= now;
        if (!isDue && sent() === seen) return false;
        if (!channel.answer(question, now, until)) question = undefined;
      }
      const asked = ask(to);
      seen = sent();
      if (!isGone) spoken.read();
      return asked;
    },
  });
  return {
    kill: async () => {
      isKilled = true;
      if (isGone) return;
      guarded.signalInside('SIGKILL');
      await leave();
    },
  };
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
