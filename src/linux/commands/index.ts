import type { Program } from '../process/process.js';
import { createShell } from '../shell/shell.js';
import { changeCommands } from './files/change.js';
import { copyCommands } from './files/copy.js';
import { ddCommands } from './files/dd.js';
import { findCommands } from './files/find.js';
import { listCommands } from './files/list.js';
import { makeCommands } from './files/make.js';
import { showCommands } from './files/show.js';
import { tarCommands } from './files/tar.js';
import { whichCommands } from './files/which.js';
import { agnhostPrograms } from './image-programs/agnhost.js';
import { httpdPrograms } from './image-programs/httpd.js';
import { nginxPrograms } from './image-programs/nginx.js';
import { nnpPrograms } from './image-programs/nnp.js';
import { pausePrograms } from './image-programs/pause.js';
import { calledAs } from './kit/io.js';
import { curlCommands } from './network/curl.js';
import { httpdCommands } from './network/httpd.js';
import { networkInterfaceCommands } from './network/interfaces.js';
import { ncCommands } from './network/nc.js';
import { lookupCommands } from './network/nslookup.js';
import { networkPingCommands } from './network/ping.js';
import { networkSocketCommands } from './network/sockets.js';
import { wgetCommands } from './network/wget.js';
import { processEnvCommands } from './processes/env.js';
import { processListCommands } from './processes/list.js';
import { processSignalCommands } from './processes/signals.js';
import { processTimeCommands } from './processes/time.js';
import { xargsCommands } from './processes/xargs.js';
import { type CommandTable, findPrograms, type Programs } from './programs.js';
import { systemDateCommands } from './system/date.js';
import { systemHostCommands } from './system/host.js';
import { systemIpcCommands } from './system/ipc.js';
import { systemKernelCommands } from './system/kernel.js';
import { meterCommands } from './system/nmeter.js';
import { systemTerminalCommands } from './system/terminal.js';
import { systemUserCommands } from './system/users.js';
import { awkCommands } from './text/awk.js';
import { base64Commands } from './text/base64.js';
import { cutCommands } from './text/cut.js';
import { diffCommands } from './text/diff.js';
import { digestCommands } from './text/digest.js';
import { grepCommands } from './text/grep.js';
import { sedCommands } from './text/sed.js';
import { seqCommands } from './text/seq.js';
import { sortCommands } from './text/sort.js';
import { streamCommands } from './text/stream.js';
import { trCommands } from './text/tr.js';
import { wcCommands } from './text/wc.js';

/** The commands in /bin of an image with a shell; some of them run others. */
export const shellCommands = (programs: Programs): CommandTable => ({
  true: async () => ({ code: 0 }),
  false: async () => ({ code: 1 }),
  ...shells(programs),
  ...changeCommands,
  ...copyCommands,
  ...ddCommands,
  ...findCommands(programs),
  ...listCommands,
  ...makeCommands,
  ...showCommands,
  ...tarCommands,
  ...whichCommands,
  ...curlCommands,
  ...httpdCommands,
  ...networkInterfaceCommands,
  ...lookupCommands,
  ...ncCommands(programs),
  ...networkPingCommands,
  ...networkSocketCommands,
  ...wgetCommands,
  ...processEnvCommands(programs),
  ...processListCommands,
  ...processSignalCommands,
  ...processTimeCommands(programs),
  ...xargsCommands(programs),
  ...systemDateCommands,
  ...systemHostCommands,
  ...systemIpcCommands,
  ...systemKernelCommands,
  ...meterCommands,
  ...systemTerminalCommands,
  ...systemUserCommands,
  ...awkCommands,
  ...cutCommands,
  ...diffCommands,
  ...digestCommands,
  ...base64Commands,
  ...grepCommands,
  ...sedCommands,
  ...seqCommands,
  ...sortCommands,
  ...streamCommands,
  ...trCommands,
  ...wcCommands,
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

const imagePrograms = (programs: Programs): CommandTable => ({
  ...agnhostPrograms(programs),
  ...httpdPrograms,
  ...nginxPrograms,
  ...nnpPrograms,
  ...pausePrograms,
});

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
