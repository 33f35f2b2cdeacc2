import { command, demandFormat, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { formatTime } from './date.js';

/** Milliseconds between two lines. */
const PERIOD = 1000;
const LEAST_PERIOD = 1;

/** busybox's nmeter, only with its time: `%3t` has milliseconds. It continues until its reader leaves. */
const nmeter = command('d:', async (tool) => {
  const { options, process } = tool;
  const period = Number(options.value('d') ?? PERIOD);
  if (!Number.isInteger(period)) throw new ToolError(`invalid number '${options.value('d')}'`);
  const [format = ''] = tool.operands;
  do {
    await tool.print(`${lineOf(demandFormat(format), process.clock.now())}\n`);
    await tool.flush();
    await process.sleep(Math.max(period, LEAST_PERIOD));
  } while (period >= 0);
});

function lineOf(format: string, now: bigint): string {
  return format.replace(/%(\d?)(.?)/g, (item, digits: string, letter: string) => {
    if (letter === '%') return '%';
    if (letter !== 't') throw new ToolError(`${item} is not simulated; there are %t, %1t to %6t, %%`);
    return formatTime(digits === '' || digits === '0' ? '%T' : `%T.%${Math.min(Number(digits), 6)}N`, now);
  });
}

export const meterCommands: CommandTable = { nmeter };
