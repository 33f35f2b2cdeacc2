import type { CommandTable } from '../programs.js';
import { awkCommands } from './awk.js';
import { base64Commands } from './base64.js';
import { cutCommands } from './cut.js';
import { diffCommands } from './diff.js';
import { digestCommands } from './digest.js';
import { grepCommands } from './grep.js';
import { sedCommands } from './sed.js';
import { seqCommands } from './seq.js';
import { sortCommands } from './sort.js';
import { streamCommands } from './stream.js';
import { trCommands } from './tr.js';
import { wcCommands } from './wc.js';

export const textCommands: CommandTable = {
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
};
