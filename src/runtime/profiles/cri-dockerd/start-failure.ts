import type { StartError } from '../../engine/rules.js';

/** Extracts Docker's text from containerd's report of runc's error. */
export const shownFailure = (message: string): string =>
  `${message.replace('failed to create containerd task: ', '')}: unknown`;

/** Derived from the error of the program (daemon/start.go, translateContainerdStartErr of 20.10). */
export function startError(message: string): StartError {
  return { exitCode: exitCodeOf(message), reason: 'ContainerCannotRun' };
}

function exitCodeOf(message: string): number {
  if (/executable file not found|no such file or directory|system cannot find the file/.test(message))
    return 127;
  if (/permission denied|is a directory|not a directory/.test(message)) return 126;
  return 128;
}
