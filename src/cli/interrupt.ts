import { constants } from 'node:os';

/** Result of the work, or the exit code for the signal that ended it: 130 for Ctrl-C, 143 for SIGTERM. */
export interface Interruptible<T> {
  readonly result: T;
  readonly interrupted: number | undefined;
}

/** The first Ctrl-C or SIGTERM asks the work to end and clean up; the second ends the process immediately. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Interruptible<T>> {
  const abort = new AbortController();
  let interrupted: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const code = 128 + constants.signals[signal];
    if (interrupted !== undefined) process.exit(code);
    interrupted = code;
    if (process.stderr.isTTY)
      process.stderr.write('\nmockri: cleaning up; press Ctrl-C again to stop immediately\n');
    abort.abort(new Error('interrupted'));
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return { result: await work(abort.signal), interrupted };
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** Ctrl-C and SIGTERM end the process during the work. Without a listener, its exit handlers would not run. */
export async function exitingOnSignals<T>(work: () => Promise<T>): Promise<T> {
  const stop = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal]);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return await work();
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
