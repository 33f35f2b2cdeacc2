import type { Program } from '../../process/process.js';
import { DONE, failWith, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

/** tty(1): exit code 1 when standard input is no terminal. */
const tty: Program = async (process) => {
  const isTerminal = process.stdin.terminal !== undefined;
  if (!process.argv.includes('-s')) await print(process, isTerminal ? '/dev/pts/0\n' : 'not a tty\n');
  return { code: isTerminal ? 0 : 1 };
};

/** stty(1), of which only the size can be asked for; settings are accepted and change nothing. */
const stty: Program = async (process) => {
  const { terminal } = process.stdin;
  if (terminal === undefined) return failWith(process, 'standard input: Inappropriate ioctl for device');
  const { width, height } = terminal.size();
  const [word] = process.argv.slice(1);
  if (word === 'size') await print(process, `${height} ${width}\n`);
  else if (word === undefined || word === '-a')
    await print(process, `speed 38400 baud; rows ${height}; columns ${width};\n`);
  return DONE;
};

export const systemTerminalCommands: CommandTable = { tty, stty };
