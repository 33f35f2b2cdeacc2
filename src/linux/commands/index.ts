import type { Program } from '../process/process.js';
import { createShell } from '../shell/shell.js';
import { fileCommands } from './files/table.js';
import { imagePrograms } from './image-programs/table.js';
import { calledAs } from './kit/io.js';
import { networkCommands } from './network/table.js';
import { processCommands } from './processes/table.js';
import { type CommandTable, findPrograms, type Programs } from './programs.js';
import { systemCommands } from './system/table.js';
import { textCommands } from './text/table.js';

/** The commands in /bin of an image with a shell; some of them run others. */
export const shellCommands = (programs: Programs): CommandTable => ({
  true: async () => ({ code: 0 }),
  false: async () => ({ code: 1 }),
  ...shells(programs),
  ...fileCommands(programs),
  ...networkCommands(programs),
  ...processCommands(programs),
  ...systemCommands,
  ...textCommands,
});

/** All names run the same POSIX shell. */
function shells(programs: Programs): CommandTable {
  const shell = createShell(programs);
  return { sh: shell, ash: shell, bash: shell, ...builtinCommands(shell) };
}

/** Shell builtins that also exist in /bin, for callers without a shell. */
const BUILTINS = ['echo', 'printf', 'test', '[', 'pwd'] as const;

/** Each runs in the shell, so that both behave the same. */
const builtinCommands = (shell: Program): CommandTable =>
  Object.fromEntries(
    BUILTINS.map((name): [string, Program] => [
      name,
      (process) =>
        process.exec({
          argv: ['sh', '-c', `${name} "$@"`, calledAs(process), ...process.argv.slice(1)],
          program: shell,
        }),
    ]),
  );

/** Everything that a container can run; `absent` replaces missing programs. */
export function createPrograms(absent?: Program): Programs {
  // Commands that run others are created before all of them can be found.
  const later: Programs = { find: (name, from) => programs.find(name, from) };
  const found = findPrograms({ ...imagePrograms(later), ...shellCommands(later) });
  const programs: Programs =
    absent === undefined ? found : { find: async (name, from) => (await found.find(name, from)) ?? absent };
  return programs;
}

export const commandNames: readonly string[] = Object.keys(shellCommands({ find: async () => undefined }));
