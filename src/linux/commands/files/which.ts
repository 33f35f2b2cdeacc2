import { FileError } from '../../fs/file-error.js';
import type { FileSystem } from '../../fs/file-system.js';
import { command } from '../kit/tool.js';
import { absolute, type CommandTable, checkExecutable, searchPath } from '../programs.js';

/** Where busybox's which looks without PATH. */
const WHICH_PATH = '/sbin:/usr/sbin:/bin:/usr/bin';

const which = command('a', async (tool) => {
  const { fs, cwd, env } = tool.process;
  for (const name of tool.operands) {
    const found: string[] = [];
    for (const path of searchPath(name, env.get('PATH') ?? WHICH_PATH)) {
      if (await isExecutable(fs, absolute(path, cwd))) found.push(path);
    }
    for (const path of tool.has('a') ? found : found.slice(0, 1)) await tool.print(`${path}\n`);
    if (found.length === 0) tool.code = 1;
  }
});

const isExecutable = (fs: FileSystem, path: string): Promise<boolean> =>
  checkExecutable(fs, path).then(
    () => true,
    (error: unknown) => {
      if (error instanceof FileError) return false;
      throw error;
    },
  );

export const whichCommands: CommandTable = { which };
