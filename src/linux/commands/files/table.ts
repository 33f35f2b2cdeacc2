import type { CommandTable, Programs } from '../programs.js';
import { changeCommands } from './change.js';
import { copyCommands } from './copy.js';
import { ddCommands } from './dd.js';
import { findCommands } from './find.js';
import { listCommands } from './list.js';
import { makeCommands } from './make.js';
import { showCommands } from './show.js';
import { tarCommands } from './tar.js';
import { whichCommands } from './which.js';

export const fileCommands = (programs: Programs): CommandTable => ({
  ...changeCommands,
  ...copyCommands,
  ...ddCommands,
  ...findCommands(programs),
  ...listCommands,
  ...makeCommands,
  ...showCommands,
  ...tarCommands,
  ...whichCommands,
});
