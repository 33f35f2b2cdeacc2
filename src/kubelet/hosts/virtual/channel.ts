import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TICK_BYTES } from '../program/guarded-process.js';

/** A program reports when its next timer is due, and waits for the answer. */
export interface Question {
  /** Starts at 1; the answer repeats it. `LAST`: the program ends and waits for no answer. */
  readonly sequence: bigint;
  /** Last time to which the program moved its clock itself, in Unix nanoseconds. */
  readonly reached: bigint;
  /** Unix nanoseconds; undefined without a timer. */
  readonly next: bigint | undefined;
  /** Hash of all scheduling decisions of the program: equal runs ask equal questions. */
  readonly trace: bigint;
}

export const LAST = 0n;

export interface Channel {
  /** Descriptors that the program inherits: it reads answers from the first and writes questions to the second. */
  readonly programEnds: readonly [answers: number, questions: number];
  /** Closes this process's copies of the program's ends once the program has them. */
  handOver(): void;
  /** Blocks this process until the program asks. `tick`: real time passes. `end`: the program has gone. */
  read(): Question | 'tick' | 'end';
  /**
   * `until`: the program may move its clock to its own timers up to this time, while it does nothing that others could
   * see. Returns false when the program has gone.
   */
  answer(question: Question, now: bigint, until: bigint): boolean;
  close(): void;
}

/** Bytes of a question; a tick has the same size and consists of spaces. */
const QUESTION = TICK_BYTES;
const ANSWER = 24;
/** Spaces, because the shell can print them. */
const TICK = 0x2020_2020_2020_2020n;
/** Go's value for no timer. */
const NEVER = 2n ** 63n - 1n;

/**
 * Opens the pipes under temporary names in the directory. They are FIFOs because Node cannot block in read(2) on any
 * other descriptor that it can pass to a program. The program's clock is `ahead` of this process's by so many nanoseconds.
 */
export function openChannel(directory: string, ahead = 0n): Channel {
  const [answers, questions] = [join(directory, 'answers'), join(directory, 'questions')];
  const { status, stderr, error } = spawnSync('mkfifo', ['-m', '600', answers, questions]);
  if (status !== 0) throw new Error(`mkfifo: ${error?.message ?? String(stderr).trim()}`);
  // Opening both ends in one descriptor keeps the other opens from blocking.
  const held = [answers, questions].map((name) => openSync(name, constants.O_RDWR));
  const programEnds = [openSync(answers, 'r'), openSync(questions, 'w')] as const;
  const answersEnd = openSync(answers, 'w');
  const questionsEnd = openSync(questions, 'r');
  for (const name of [answers, questions]) rmSync(name);
  const record = Buffer.alloc(QUESTION);
  const reply = Buffer.alloc(ANSWER);
  return {
    programEnds,
    handOver: () => closeAll([...held, ...programEnds]),
    read: () => {
      if (!readWhole(questionsEnd, record)) return 'end';
      const sequence = record.readBigInt64LE(0);
      if (sequence === TICK) return 'tick';
      const next = record.readBigInt64LE(16);
      return {
        sequence,
        reached: record.readBigInt64LE(8) - ahead,
        next: next === NEVER ? undefined : next - ahead,
        trace: record.readBigUInt64LE(24),
      };
    },
    answer: ({ sequence }, now, until) => {
      reply.writeBigInt64LE(sequence, 0);
      reply.writeBigInt64LE(now + ahead, 8);
      reply.writeBigInt64LE(until + ahead, 16);
      try {
        writeSync(answersEnd, reply);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
        return false;
      }
    },
    close: () => closeAll([answersEnd, questionsEnd]),
  };
}

function closeAll(descriptors: readonly number[]): void {
  for (const each of descriptors) closeSync(each);
}

function readWhole(descriptor: number, into: Buffer): boolean {
  for (let length = 0; length < into.length; ) {
    const count = readSync(descriptor, into, length, into.length - length, null);
    if (count === 0) return false;
    length += count;
  }
  return true;
}
