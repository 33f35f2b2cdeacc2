import { constants } from 'node:os';

/**
 * Calls `first` at the first Ctrl-C or SIGTERM with its exit code: 130 or 143. The second one ends the process
 * immediately. Returns a function that stops listening.
 */
function onSignal(first: (signal: NodeJS.Signals, code: number) => void): () => void {
  let isStopping = false;
  const listener = (signal: NodeJS.Signals) => {
    const code = 128 + constants.signals[signal];
    if (isStopping) process.exit(code);
    isStopping = true;
    first(signal, code);
  };
  process.on('SIGINT', listener).on('SIGTERM', listener);
  return () => process.off('SIGINT', listener).off('SIGTERM', listener);
}

let hasReader = true;

/**
 * Call it when the reader of the output has closed it (`| head`). The work ends and cleans up as after Ctrl-C, but
 * silently and with exit code 0. A command without further output, such as serve after its ready line, does not notice.
 */
export function endWithReader(): void {
  hasReader = false;
  process.once('exit', (code) => {
    if (code === INTERRUPTED) process.exitCode = 0;
  });
  if (!process.emit('SIGINT', 'SIGINT')) process.exit(0);
}

const INTERRUPTED = 128 + constants.signals.SIGINT;

/** Result of the work, or the exit code of the signal that ended it: 130 for Ctrl-C, 143 for SIGTERM. */
export interface Interruptible<T> {
  readonly result: T;
  readonly interrupted: number | undefined;
}

/** Ends work that has no result when interrupted; the command exits with the code and prints nothing more. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  readonly code: number;

  constructor(code: number) {
    super('interrupted');
    this.code = code;
  }
}

/** The first Ctrl-C or SIGTERM aborts the signal, so that the work can clean up; the second exits immediately. */
export async function withInterrupt<T>(work: (signal: AbortSignal) => Promise<T>): Promise<Interruptible<T>> {
  const abort = new AbortController();
  let interrupted: number | undefined;
  const forget = onSignal((_, code) => {
    interrupted = code;
    if (hasReader && process.stderr.isTTY)
      process.stderr.write('\nmockri: cleaning up; press Ctrl-C again to stop immediately\n');
    abort.abort(new Interrupted(code));
  });
  try {
    return { result: await work(abort.signal), interrupted };
  } finally {
    forget();
  }
}

/** Ctrl-C and SIGTERM end the process during the work. Without a listener, its exit handlers would not run. */
export async function exitingOnSignals<T>(work: () => Promise<T>): Promise<T> {
  const forget = onSignal((_, code) => process.exit(code));
  try {
    return await work();
  } finally {
    forget();
  }
}

export interface Running {
  readonly signal: AbortSignal;
  /** Resolves when the work must stop. */
  readonly stopped: Promise<void>;
  /** Adds cleanup functions, which run in reverse order after the work has ended for any reason. */
  readonly atEnd: (cleanUp: () => unknown) => void;
}

export interface StopOptions {
  /** Whether the end of standard input stops it too. A parent that dies closes its end of the pipe. */
  readonly withStdin?: boolean;
  readonly onStop?: (reason: NodeJS.Signals | 'end of standard input') => void;
}

/** Runs work until it is stopped, then cleans up. The second signal ends the process immediately. */
export async function untilStopped(
  work: (running: Running) => Promise<void>,
  { withStdin = false, onStop }: StopOptions = {},
): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  const stop = (reason: NodeJS.Signals | 'end of standard input') => {
    if (signal.aborted) return;
    onStop?.(reason);
    abort.abort();
  };
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const cleanups: (() => unknown)[] = [
    onSignal((name, code) => (signal.aborted ? process.exit(code) : stop(name))),
  ];
  if (withStdin) cleanups.push(onEndOfInput(() => stop('end of standard input')));
  try {
    await work({ signal, stopped, atEnd: (cleanUp) => cleanups.push(cleanUp) });
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  }
}

function onEndOfInput(end: () => void): () => void {
  const { stdin } = process;
  stdin.once('end', end).once('error', end).once('close', end).resume();
  return () => stdin.off('end', end).off('error', end).off('close', end).destroy();
}
