import { allBytes, BYTE_COST, bytesOf, linesOf } from '../kit/input.js';
import { command, eachOperand, type Tool, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { Machine, type Put } from './sed-machine.js';
import { type Instruction, parseSed } from './sed-script.js';

const MAX_SCRIPT = 64 * 1024;
/** Memory of a byte of the script: an instruction may have one, the table of a `y` command few. */
const SCRIPT_COST = 128;

const sed = command(
  { letters: 'nrEsie:f:z', long: { quiet: 'n', silent: 'n', 'in-place': 'i' } },
  async (tool) => {
    const script = tool.options.values('e').map(bytesOf);
    for (const file of tool.options.values('f')) script.push(await allBytes(tool, file));
    const operands = [...tool.operands];
    if (!tool.has('e') && !tool.has('f')) script.push(bytesOf(operands.shift() ?? missing()));
    const text = script.join('\n');
    if (text.length > MAX_SCRIPT) throw usage(`the script is longer than ${MAX_SCRIPT} bytes`);
    tool.process.allocate(SCRIPT_COST * text.length);
    const program = parseSed(text, tool.has('r') || tool.has('E'));
    if (!tool.has('i')) return run(tool, program, operands, (bytes) => tool.printBytes(bytes));
    for (const path of operands) {
      let result = '';
      const { mode } = await tool.process.fs.stat(path);
      await run(tool, program, [path], async (bytes) => {
        tool.process.allocate(BYTE_COST * bytes.length);
        result += bytes;
      });
      await tool.process.fs.writeFile(path, Buffer.from(result, 'latin1'), { mode });
      tool.process.allocate(-BYTE_COST * result.length);
    }
    return tool.code;
  },
);

const missing = (): never => {
  throw usage('missing script');
};

async function run(
  tool: Tool,
  program: readonly Instruction[],
  paths: readonly string[],
  put: Put,
): Promise<number> {
  const machine = new Machine(tool, program, put);
  let pending: string | undefined;
  await eachOperand(tool, paths.length > 0 ? paths : ['-'], async (path) => {
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        if (pending !== undefined) await machine.feed(pending, false);
        // A file without a final newline still ends its line, if more follows.
        pending = line;
        if (machine.isOver) return;
      }
    }
  });
  if (pending !== undefined && !machine.isOver) await machine.feed(pending, true);
  await machine.end();
  return tool.code;
}

export const sedCommands: CommandTable = { sed };
