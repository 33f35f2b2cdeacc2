import type { CommandTable, Programs } from '../programs.js';
import { curlCommands } from './curl.js';
import { httpdCommands } from './httpd.js';
import { networkInterfaceCommands } from './interfaces.js';
import { ncCommands } from './nc.js';
import { lookupCommands } from './nslookup.js';
import { networkPingCommands } from './ping.js';
import { networkSocketCommands } from './sockets.js';
import { wgetCommands } from './wget.js';

export const networkCommands = (programs: Programs): CommandTable => ({
  ...curlCommands,
  ...httpdCommands,
  ...networkInterfaceCommands,
  ...lookupCommands,
  ...ncCommands(programs),
  ...networkPingCommands,
  ...networkSocketCommands,
  ...wgetCommands,
});
