import { statSync } from 'node:fs';
import type { Turn } from '../../../base/clock/participant.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { turn } from '../../../base/clock/turn.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { spawnGuarded } from '../program/guarded-process.js';
import { LAST, openChannel, type Question } from './channel.js';
import { createLogReader } from './log-reader.js';

/** A program that takes part in a virtual clock. */
export interface ClockedProgramOptions {
  readonly clock: VirtualClock;
  /** Seed of all its random numbers. */
  readonly seed: number;
  readonly command: readonly string[];
  /** Its own; removed with all mounts in it if this process ends before the program. */
  readonly directory: string;
  /** File for what it prints. */
  readonly log: string;
  /** Gets each line of the log at the time at which it was written. */
  readonly said: (line: string) => void;
  /** It has ended by itself; what it held is free. */
  readonly ended: (code: string) => void;
  /** It has not waited for a minute of real time, and was ended; the log has what its goroutines did. */
  readonly stuck: () => void;
}

/** A program that was started. */
export interface ClockedProgram {
  /** Ends it as SIGKILL does. Resolves when its sockets are closed; the clock waits for that. */
  kill(): Promise<void>;
}

/** Real time that a program may run without a question, in ms. */
const PATIENCE = 60_000;
/** Real time after which this process looks after its own events while the program runs on, in ms. */
const BLOCKED = 20_000;

/**
 * Starts a program that was built for virtual time. It and this process run in turn, never at the same time: what one
 * of them sees of the other does not depend on the machine.
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
  /** What had been sent to programs when it last looked. */
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
  /** Waits for the next question. Without one for long, this process handles its events in between. */
  const ask = (to: Turn): true | Promise<true> => {
    const read = next(to);
    return read === 'tick' ? askPatiently(real.elapsed(), to) : true;
  };
  /** Takes in the next question. */
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
  /** What it does itself is nothing to look for. */
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
    // Until it has asked for the first time, it has something to do now.
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
