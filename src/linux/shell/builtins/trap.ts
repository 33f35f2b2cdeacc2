import { signalName } from '../../process/signals.js';
import type { Builtin } from '../execution/builtin.js';
import { complain, type Shell, write } from '../execution/shell.js';
import { quoteValue } from './variables.js';

export const trapBuiltins: readonly (readonly [string, Builtin])[] = [['trap', { special: true, run: trap }]];

/** `trap action condition…`, `trap - condition…`, `trap condition…` to reset, `trap` to list. */
async function trap(shell: Shell, given: readonly string[]): Promise<number> {
  const args = given[0] === '--' ? given.slice(1) : given;
  if (args.length === 0) return list(shell);
  const [first = '', ...rest] = args;
  const resets = rest.length === 0 || /^\d+$/.test(first);
  const conditions = resets ? args : rest;
  let status = 0;
  for (const text of conditions) {
    const condition = conditionOf(text);
    if (condition === undefined) {
      await complain(shell, `${text}: invalid signal specification`, 'trap');
      status = 1;
    } else if (resets || first === '-') shell.traps.reset(condition);
    else shell.traps.set(condition, first);
  }
  return status;
}

const conditionOf = (text: string): string | undefined =>
  text === '0' || /^(SIG)?EXIT$/i.test(text) ? 'EXIT' : signalName(text);

async function list(shell: Shell): Promise<number> {
  for (const [condition, action] of shell.traps.entries()) {
    await write(shell, 1, `trap -- ${quoteValue(action)} ${condition}\n`);
  }
  return 0;
}
