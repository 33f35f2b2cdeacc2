import { FileError } from '../../fs/file-error.js';
import type { FileStat } from '../../fs/file-stat.js';
import { baseOf, isDirectory, joined, saying, statIfAny } from '../kit/paths.js';
import { command, eachTold, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const CHUNK = 256 * 1024;

const cp = command(
  { letters: 'arRfpdPLHt:Tuvin', long: { archive: 'a', recursive: 'r', force: 'f' } },
  async (tool) => {
    await eachTarget(tool, async (from, to) => {
      const isDeep = tool.has('r') || tool.has('R') || tool.has('a');
      await copy(tool, from, to, isDeep);
    });
  },
);

const mv = command({ letters: 'finvTt:u', long: { force: 'f' } }, async (tool) => {
  await eachTarget(tool, async (from, to) => {
    const { fs } = tool.process;
    if (tool.has('n') && (await statIfAny(tool, to, false))) return;
    await fs.rename(from, to).catch(async (error: unknown) => {
      if (!(error instanceof FileError) || error.code !== 'EXDEV') {
        return saying((problem) => `can't rename '${from}': ${problem}`)(error);
      }
      await copy(tool, from, to, true, true);
      await removeAll(tool, from);
    });
  });
});

async function eachTarget(tool: Tool, step: (from: string, to: string) => Promise<void>): Promise<void> {
  const given = tool.options.value('t');
  const sources = given === undefined ? tool.operands.slice(0, -1) : tool.operands;
  const place = given ?? tool.operands.at(-1);
  if (place === undefined || sources.length === 0) throw usage('missing operand');
  const isInto = !tool.has('T') && (sources.length > 1 || (await isDirectory(tool, place)));
  await eachTold(tool, sources, (from) => step(from, isInto ? joined(place, baseOf(from)) : place));
}

async function copy(tool: Tool, from: string, to: string, isDeep: boolean, isMove = false): Promise<void> {
  const { fs } = tool.process;
  const keepsLinks = isMove || ((isDeep || tool.has('d') || tool.has('P')) && !tool.has('L'));
  const keepsAll = isMove || tool.has('a') || tool.has('p');
  const source = await (keepsLinks ? fs.lstat(from) : fs.stat(from)).catch(
    saying((problem) => `can't stat '${from}': ${problem}`),
  );
  const target = await statIfAny(tool, to, source.kind !== 'symlink');
  if (target && target.inode === source.inode && (await fs.realpath(from)) === (await fs.realpath(to))) {
    throw new ToolError(`'${from}' and '${to}' are the same file`);
  }
  if (source.kind === 'directory') {
    if (!isDeep) throw new ToolError(`omitting directory '${from}'`);
    await copyDirectory(tool, from, to, source, target, isMove);
  } else if (source.kind === 'symlink') {
    if (target) await fs.unlink(to);
    await fs
      .symlink(await fs.readlink(from), to)
      .catch(saying((problem) => `can't create symlink '${to}': ${problem}`));
    return;
  } else {
    if (target?.kind === 'directory') throw new ToolError(`can't create '${to}': Is a directory`);
    await copyFile(tool, from, to, source.mode);
  }
  if (!keepsAll) return;
  await fs.chmod(to, source.mode);
  await fs.chown(to, source.uid, source.gid).catch(() => {});
  await fs.utimes(to, source.modifiedAt);
}

async function copyDirectory(
  tool: Tool,
  from: string,
  to: string,
  source: FileStat,
  target: FileStat | undefined,
  isMove: boolean,
): Promise<void> {
  const { fs } = tool.process;
  if (target && target.kind !== 'directory') throw new ToolError(`target '${to}' is not a directory`);
  if (`${await whereIs(tool, to)}/`.startsWith(`${await fs.realpath(from)}/`)) {
    throw new ToolError(`recursion detected, omitting directory '${from}'`);
  }
  if (!target) {
    await fs
      .mkdir(to, (source.mode & 0o777) | 0o700)
      .catch(saying((problem) => `can't create directory '${to}': ${problem}`));
  }
  const names = await fs.readdir(from);
  await eachTold(tool, names, (name) => copy(tool, joined(from, name), joined(to, name), true, isMove));
}

/** The real path of a file that may not exist yet. */
async function whereIs({ process: { fs } }: Tool, path: string): Promise<string> {
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '.';
  return fs.realpath(path).catch(async () => joined(await fs.realpath(parent), baseOf(path)));
}

async function copyFile({ process: { fs } }: Tool, from: string, to: string, mode: number): Promise<void> {
  const source = await fs.open(from, 'r').catch(saying((problem) => `can't open '${from}': ${problem}`));
  try {
    const cantCreate = saying((problem) => `can't create '${to}': ${problem}`);
    const target = await fs.open(to, 'w', mode & 0o777).catch(cantCreate);
    try {
      for (let chunk = await source.read(CHUNK); chunk.length > 0; chunk = await source.read(CHUNK)) {
        await target.write(chunk).catch(saying((problem) => `write error: ${problem}`));
      }
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function removeAll(tool: Tool, path: string): Promise<void> {
  const { fs } = tool.process;
  if ((await fs.lstat(path)).kind !== 'directory') return fs.unlink(path);
  for (const name of await fs.readdir(path)) await removeAll(tool, joined(path, name));
  await fs.rmdir(path);
}

export const copyCommands: CommandTable = { cp, mv };
