import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** tty(1): exit code 1 if standard input is not a terminal. */
const tty = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const isTerminal = process.stdin.terminal !== undefined;
  if (!tool.args.includes('-s')) await tool.print(isTerminal ? '/dev/pts/0\n' : 'not a tty\n');
  return isTerminal ? 0 : 1;
});

/** stty(1): shows the size; accepts settings without effect. */
const stty = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const { terminal } = process.stdin;
  if (terminal === undefined) throw new ToolError('standard input: Inappropriate ioctl for device');
  const { width, height } = terminal.size();
  const [word] = tool.args;
  if (word === 'size') await tool.print(`${height} ${width}\n`);
  else if (word === undefined || word === '-a')
    await tool.print(`speed 38400 baud; rows ${height}; columns ${width};\n`);
});

export const systemTerminalCommands: CommandTable = { tty, stty };
