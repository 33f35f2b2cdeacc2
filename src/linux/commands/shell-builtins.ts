import type { Program } from '../process/process.js';
import { calledAs } from './kit/io.js';
import type { CommandTable } from './programs.js';

/** Builtins of the shell that also lie in /bin, for those who run them without a shell. */
const NAMES = ['echo', 'printf', 'test', '[', 'pwd'] as const;

/** Each runs in the shell, so that both say and do the same. */
export const builtinCommands = (shell: Program): CommandTable =>
  Object.fromEntries(
    NAMES.map((name): [string, Program] => [
      name,
      (process) =>
        process.exec({
          argv: ['sh', '-c', `${name} "$@"`, calledAs(process), ...process.argv.slice(1)],
          program: shell,
        }),
    ]),
  );
