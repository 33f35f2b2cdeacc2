import type { CommandTable } from '../programs.js';
import { systemDateCommands } from './date.js';
import { systemHostCommands } from './host.js';
import { systemIpcCommands } from './ipc.js';
import { systemKernelCommands } from './kernel.js';
import { meterCommands } from './nmeter.js';
import { systemTerminalCommands } from './terminal.js';
import { systemUserCommands } from './users.js';

export const systemCommands: CommandTable = {
  ...systemDateCommands,
  ...systemHostCommands,
  ...systemIpcCommands,
  ...systemKernelCommands,
  ...meterCommands,
  ...systemTerminalCommands,
  ...systemUserCommands,
};
