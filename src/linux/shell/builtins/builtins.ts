import type { Builtin } from '../execution/builtin.js';
import { commandBuiltins } from './commands.js';
import { controlBuiltins } from './control.js';
import { directoryBuiltins } from './directories.js';
import { jobBuiltins } from './jobs.js';
import { optionBuiltins } from './options.js';
import { outputBuiltins } from './output.js';
import { readBuiltins } from './read.js';
import { testBuiltins } from './test.js';
import { trapBuiltins } from './trap.js';
import { variableBuiltins } from './variables.js';

export const builtins: ReadonlyMap<string, Builtin> = new Map([
  ...commandBuiltins,
  ...controlBuiltins,
  ...directoryBuiltins,
  ...jobBuiltins,
  ...optionBuiltins,
  ...outputBuiltins,
  ...readBuiltins,
  ...testBuiltins,
  ...trapBuiltins,
  ...variableBuiltins,
]);
