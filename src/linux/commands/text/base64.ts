import { allBytes, chunksOf, eachInput } from '../kit/input.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const WRAP = 76;

const base64 = command({ letters: 'dw:', long: { decode: 'd', wrap: 'w' } }, async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    if (tool.has('d')) {
      const bytes = await allBytes(tool, path);
      if (/[^A-Za-z0-9+/=\s]/.test(bytes)) throw new ToolError('invalid input');
      await tool.print(Buffer.from(bytes, 'base64'));
      return;
    }
    const width = Number(tool.options.value('w') ?? WRAP);
    let line = '';
    // Three bytes become four characters: pieces of whole threes can be joined.
    for await (const piece of rowsOf(tool, path, 3 * 4096)) {
      const text = line + piece.toString('base64');
      const whole = width > 0 ? text.length - (text.length % width) : 0;
      for (let at = 0; at < whole; at += width) await tool.print(`${text.slice(at, at + width)}\n`);
      line = text.slice(whole);
      if (width > 0) continue;
      await tool.print(line);
      line = '';
    }
    if (line !== '') await tool.print(`${line}\n`);
  });
});

/** Splits the input into rows of `width` bytes; the last may be shorter. */
async function* rowsOf(tool: Tool, path: string, width: number): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(tool, path)) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = rest.length - (rest.length % width);
    for (let at = 0; at < whole; at += width) yield rest.subarray(at, at + width);
    rest = rest.subarray(whole);
  }
  if (rest.length > 0) yield rest;
}

export const base64Commands: CommandTable = { base64 };
