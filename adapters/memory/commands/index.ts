import { createShell } from '../shell/shell.js';
import { changeCommands } from './files-change.js';
import { copyCommands } from './files-copy.js';
import { ddCommands } from './files-dd.js';
import { findCommands } from './files-find.js';
import { listCommands } from './files-list.js';
import { makeCommands } from './files-make.js';
import { showCommands } from './files-show.js';
import { curlCommands } from './network-curl.js';
import { networkInterfaceCommands } from './network-interfaces.js';
import { lookupCommands } from './network-lookup.js';
import { ncCommands } from './network-nc.js';
import { networkPingCommands } from './network-ping.js';
import { networkSocketCommands } from './network-sockets.js';
import { wgetCommands } from './network-wget.js';
import { nnpPrograms } from './nnp.js';
import { processEnvCommands } from './process-env.js';
import { processListCommands } from './process-list.js';
import { processSignalCommands } from './process-signals.js';
import { processTimeCommands } from './process-time.js';
import { type CommandTable, findPrograms, type Programs } from './programs.js';
import { runCommands } from './run-many.js';
import { agnhostPrograms } from './servers-agnhost.js';
import { httpdPrograms } from './servers-httpd.js';
import { nginxPrograms } from './servers-nginx.js';
import { pausePrograms } from './servers-pause.js';
import { builtinCommands } from './shell-builtins.js';
import { systemDateCommands } from './system-date.js';
import { systemHostCommands } from './system-host.js';
import { systemIpcCommands } from './system-ipc.js';
import { systemKernelCommands } from './system-kernel.js';
import { systemTerminalCommands } from './system-terminal.js';
import { systemUserCommands } from './system-users.js';
import { awkCommands } from './text-awk.js';
import { cutCommands } from './text-cut.js';
import { diffCommands } from './text-diff.js';
import { digestCommands } from './text-digest.js';
import { grepCommands } from './text-grep.js';
import { sedCommands } from './text-sed.js';
import { seqCommands } from './text-seq.js';
import { sortCommands } from './text-sort.js';
import { streamCommands } from './text-stream.js';

/** The commands that an image with a shell has in /bin; some of them run others. */
export const shellCommands = (programs: Programs): CommandTable => ({
  true: async () => ({ code: 0 }),
  false: async () => ({ code: 1 }),
  ...shells(programs),
  ...processListCommands,
  ...processSignalCommands,
  ...processTimeCommands(programs),
  ...processEnvCommands(programs),
  ...networkInterfaceCommands,
  ...networkPingCommands,
  ...curlCommands,
  ...lookupCommands,
  ...ncCommands(programs),
  ...wgetCommands,
  ...networkSocketCommands,
  ...systemDateCommands,
  ...systemIpcCommands,
  ...systemHostCommands,
  ...systemKernelCommands,
  ...systemTerminalCommands,
  ...systemUserCommands,
  ...changeCommands,
  ...copyCommands,
  ...makeCommands,
  ...findCommands(programs),
  ...diffCommands,
  ...sedCommands,
  ...seqCommands,
  ...ddCommands,
  ...digestCommands,
  ...listCommands,
  ...showCommands,
  ...awkCommands,
  ...cutCommands,
  ...grepCommands,
  ...sortCommands,
  ...streamCommands,
});

/** All of them are the same POSIX shell, and what it has built in. */
function shells(programs: Programs): CommandTable {
  const shell = createShell(programs);
  return { sh: shell, ash: shell, bash: shell, ...builtinCommands(shell), ...runCommands(programs) };
}

/** What only some images have. */
const imagePrograms = (programs: Programs): CommandTable => ({
  ...agnhostPrograms(programs),
  ...httpdPrograms,
  ...nginxPrograms,
  ...nnpPrograms,
  ...pausePrograms,
});

/** Everything that a container can run. */
export function createPrograms(): Programs {
  // Those that run others are made before all can be found.
  const later: Programs = { find: (name, from) => programs.find(name, from) };
  const programs = findPrograms({ ...imagePrograms(later), ...shellCommands(later) });
  return programs;
}

/** What lies in /bin of an image with a shell. */
export const commandNames: readonly string[] = Object.keys(shellCommands({ find: async () => undefined }));
