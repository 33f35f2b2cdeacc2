import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** tty(1): exit code 1 when standard input is no terminal. */
const tty = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const isTerminal = process.stdin.terminal !== undefined;
  if (!tool.args.includes('-s')) await tool.print(isTerminal ? '/dev/pts/0\n' : 'not a tty\n');
  return isTerminal ? 0 : 1;
});

/** stty(1), of which only the size can be asked for; settings are accepted and change nothing. */
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

/** Whether there is a terminal, and of which size. */
export const systemTerminalCommands: CommandTable = { tty, stty };
