import { allLines, bareLinesOf, bytesOf, eachInput, linesOf } from '../kit/input.js';
import { command } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const rev = command('', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        const bare = line.replace(/\n$/, '');
        await tool.print(Buffer.from(bare, 'latin1').reverse());
        await tool.printBytes(line.slice(bare.length));
      }
    }
  });
});

const tac = command('', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    for (const line of (await allLines(tool, path)).reverse()) await tool.printBytes(line);
  });
});

/** Of a column; wider ones are a mistake. */
const MAX_WIDTH = 1024;

const nl = command('b:v:i:s:w:n:', async (tool) => {
  const width = Math.min(Number(tool.options.value('w') ?? 6), MAX_WIDTH);
  const glue = bytesOf(tool.options.value('s') ?? '\t');
  const countsAll = tool.options.value('b') === 'a';
  let number = Number(tool.options.value('v') ?? 1);
  await eachInput(tool, tool.operands, async (path) => {
    for await (const line of bareLinesOf(tool, path)) {
      const isCounted = countsAll || line !== '';
      const label = isCounted ? `${String(number).padStart(width)}${glue}` : ' '.repeat(width + glue.length);
      if (isCounted) number += Number(tool.options.value('i') ?? 1);
      await tool.printBytes(`${label}${line}\n`);
    }
  });
});

/** Commands that turn and number lines. */
export const lineCommands: CommandTable = { rev, tac, nl };
