import type { ExitStatus, Process, SignalName } from '../../process/process.js';

// For programs that keep running, serve, or become another one; `command` (tool.ts) is for all others.

export const DONE: ExitStatus = { code: 0 };

/** The command's name in argv[0], without its directory. */
export const calledAs = ({ argv }: Process): string => (argv[0] ?? '').replace(/^.*\//, '');

/** Resolves when the reader of standard output can take more. */
export const print = ({ stdout }: Process, text: string): Promise<void> => stdout.write(Buffer.from(text));

/** Writes one line to standard error, after the command's name. */
export const complain = (process: Process, text: string): Promise<void> =>
  process.stderr.write(Buffer.from(`${calledAs(process)}: ${text}\n`));

/** Prints the error; exit code 1 by default. */
export async function failWith(process: Process, text: string, code = 1): Promise<ExitStatus> {
  await complain(process, text);
  return { code };
}

/** Waits for an event that may never come, without counting as activity; ends when the process is killed. */
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

export function catchSignals<Name extends SignalName>(
  process: Process,
  names: readonly Name[],
): Promise<Name> {
  return new Promise((resolve) => {
    for (const name of names) process.onSignal(name, () => resolve(name));
  });
}
