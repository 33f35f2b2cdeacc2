import type { ExitStatus, Process, SignalName } from '../../process/process.js';

// For programs that live on, serve, or become another: they say and wait for things as they go. A command that reads
// options, prints and ends is made with `command` (tool.ts).

/** Success. */
export const DONE: ExitStatus = { code: 0 };

/** The name that a command was called by, without its directory. */
export const calledAs = ({ argv }: Process): string => (argv[0] ?? '').replace(/^.*\//, '');

/** Writes to standard output; resolves when its reader can take more. */
export const print = ({ stdout }: Process, text: string): Promise<void> => stdout.write(Buffer.from(text));

/** One line on standard error, after the command's name. */
export const complain = (process: Process, text: string): Promise<void> =>
  process.stderr.write(Buffer.from(`${calledAs(process)}: ${text}\n`));

/** The end of a command that failed: prints the reason; exit code 1 by default. */
export async function failWith(process: Process, text: string, code = 1): Promise<ExitStatus> {
  await complain(process, text);
  return { code };
}

/** Waits, without counting as activity, for what may never come; ends when the process is killed. */
export async function waitFor<T>({ clock, killed }: Process, wait: Promise<T>): Promise<T> {
  killed.throwIfAborted();
  let leave = () => {};
  const death = new Promise<never>((_, reject) => {
    leave = () => reject(killed.reason);
    killed.addEventListener('abort', leave, { once: true });
  });
  try {
    return await clock.idle(Promise.race([wait, death]));
  } finally {
    killed.removeEventListener('abort', leave);
  }
}

/** Waits until the process is killed, and rejects then: servers end like this. */
export const forever = (process: Process): Promise<never> => waitFor(process, new Promise<never>(() => {}));

/** Catches the given signals; resolves with the first that comes. */
export function catchSignals<Name extends SignalName>(
  process: Process,
  names: readonly Name[],
): Promise<Name> {
  return new Promise((resolve) => {
    for (const name of names) process.onSignal(name, () => resolve(name));
  });
}
