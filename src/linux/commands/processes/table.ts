import type { CommandTable, Programs } from '../programs.js';
import { processEnvCommands } from './env.js';
import { processListCommands } from './list.js';
import { processSignalCommands } from './signals.js';
import { processTimeCommands } from './time.js';
import { xargsCommands } from './xargs.js';

export const processCommands = (programs: Programs): CommandTable => ({
  ...processEnvCommands(programs),
  ...processListCommands,
  ...processSignalCommands,
  ...processTimeCommands(programs),
  ...xargsCommands(programs),
});
