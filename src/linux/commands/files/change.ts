import { accounts } from '../../accounts.js';
import { FileError } from '../../fs/file-error.js';
import { baseOf, joined, saying } from '../kit/paths.js';
import { command, eachOperand, eachTold, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { changedMode } from './mode.js';

const rm = command({ letters: 'rRfiv', long: { recursive: 'r', force: 'f' } }, async (tool) => {
  if (tool.operands.length === 0 && !tool.has('f')) throw usage('missing operand');
  const isRecursive = tool.has('r') || tool.has('R');
  await eachTold(tool, tool.operands, async (path) => {
    if (['.', '..'].includes(baseOf(path))) throw new ToolError(`can't remove '.' or '..'`);
    await remove(tool, path, isRecursive);
  });
});

async function remove(tool: Tool, path: string, isRecursive: boolean): Promise<void> {
  const { fs } = tool.process;
  const cantRemove = saying((problem) => `can't remove '${path}': ${problem}`);
  const stat = await fs.lstat(path).catch((error: unknown) => {
    const isGone = error instanceof FileError && ['ENOENT', 'ENOTDIR'].includes(error.code);
    return isGone && tool.has('f') ? undefined : cantRemove(error);
  });
  if (stat === undefined) return;
  if (stat.kind !== 'directory') return fs.unlink(path).catch(cantRemove);
  if (!isRecursive) throw new ToolError(`'${path}' is a directory`);
  const names = await fs.readdir(path).catch(cantRemove);
  // Each remaining entry is reported; the directory then remains too.
  await eachTold(tool, names, (name) => remove(tool, joined(path, name), true));
  await fs.rmdir(path).catch(cantRemove);
}

const chmod = command({ letters: 'Rvcf', long: { recursive: 'R' }, rewrite: asMode }, async (tool) => {
  const [given, ...paths] = tool.operands;
  if (given === undefined || paths.length === 0) throw usage('missing operand');
  const text = given.replace(/^minus/, '-');
  changedMode(text, 0, false);
  await everywhere(tool, paths, async (path) => {
    const stat = await tool.process.fs.stat(path);
    await tool.process.fs.chmod(path, changedMode(text, stat.mode, stat.kind === 'directory'));
  });
});

/** `-x` and `-w` are modes, not options. */
function asMode(word: string): string {
  return /^-[rwxXst]/.test(word) ? `minus${word.slice(1)}` : word;
}

const changeOwner = (isGroup: boolean) =>
  command({ letters: 'Rhvcf', long: { recursive: 'R' } }, async (tool) => {
    const [given, ...paths] = tool.operands;
    if (given === undefined || paths.length === 0) throw usage('missing operand');
    const [user = '', group] = isGroup ? ['', given] : given.split(/[:.]/);
    const uid = user === '' ? undefined : idOf(user, 'user');
    const gid = group ? idOf(group, 'group') : undefined;
    await everywhere(tool, paths, async (path) => {
      const stat = await tool.process.fs.stat(path);
      await tool.process.fs.chown(path, uid ?? stat.uid, gid ?? stat.gid);
    });
  });

function idOf(text: string, kind: 'user' | 'group'): number {
  if (/^\d+$/.test(text)) return Number(text);
  const account = accounts.find(({ name }) => name === text);
  if (!account) throw new ToolError(`unknown ${kind} ${text}`);
  return kind === 'user' ? account.uid : account.gid;
}

async function everywhere(
  tool: Tool,
  paths: readonly string[],
  change: (path: string) => Promise<void>,
): Promise<void> {
  await eachOperand(tool, paths, async (path) => {
    await change(path);
    if (!tool.has('R') || (await tool.process.fs.lstat(path)).kind !== 'directory') return;
    const names = await tool.process.fs.readdir(path);
    await everywhere(
      tool,
      names.map((name) => joined(path, name)),
      async (below) => {
        if ((await tool.process.fs.lstat(below)).kind !== 'symlink') await change(below);
      },
    );
  });
}

export const changeCommands: CommandTable = {
  rm,
  chmod,
  chown: changeOwner(false),
  chgrp: changeOwner(true),
};
