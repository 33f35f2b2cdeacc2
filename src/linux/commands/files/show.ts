import { groupNameOf, nameOf } from '../../accounts.js';
import type { FileStat } from '../../fs/file-stat.js';
import { baseOf, dirOf, joined, statIfAny } from '../kit/paths.js';
import { command, demandFormat, eachOperand, type Tool, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { fullTime, humanSize, kibOnDisk } from './human.js';
import { modeText } from './mode.js';

const KINDS = {
  file: 'regular file',
  directory: 'directory',
  symlink: 'symbolic link',
  device: 'character special file',
  pipe: 'fifo',
} as const;

const stat = command('c:Lft', async (tool) => {
  if (tool.operands.length === 0) throw usage('missing operand');
  const format = tool.options.value('c');
  await eachOperand(
    tool,
    tool.operands,
    async (path) => {
      const { fs } = tool.process;
      const found = await (tool.has('L') ? fs.stat(path) : fs.lstat(path));
      const target = found.kind === 'symlink' ? await fs.readlink(path) : undefined;
      await tool.print(
        format === undefined
          ? wholeStat(path, found, target)
          : `${formatStat(demandFormat(format), path, found, target)}\n`,
      );
    },
    (path, problem) => `can't stat '${path}': ${problem}`,
  );
});

const seconds = (time: bigint): string => String(time / 1_000_000_000n);
const kindText = ({ kind, size }: FileStat): string =>
  kind === 'file' && size === 0 ? 'regular empty file' : KINDS[kind];

function formatStat(format: string, path: string, found: FileStat, target: string | undefined): string {
  const { mode, uid, gid, size, links, inode, modifiedAt } = found;
  const values: Readonly<Record<string, string>> = {
    a: mode.toString(8),
    A: modeText(found),
    b: String(kibOnDisk(found.kind, size) * 2),
    B: '512',
    f: (0o100000 | mode).toString(16),
    F: kindText(found),
    g: String(gid),
    G: groupNameOf(gid) ?? 'UNKNOWN',
    h: String(links),
    i: String(inode),
    n: path,
    N: target === undefined ? path : `'${path}' -> '${target}'`,
    o: '4096',
    s: String(size),
    u: String(uid),
    U: nameOf(uid) ?? 'UNKNOWN',
    x: fullTime(modifiedAt),
    X: seconds(modifiedAt),
    y: fullTime(modifiedAt),
    Y: seconds(modifiedAt),
    z: fullTime(modifiedAt),
    Z: seconds(modifiedAt),
    '%': '%',
  };
  return format.replace(/%(.)/g, (text, letter: string) => values[letter] ?? text);
}

function wholeStat(path: string, found: FileStat, target: string | undefined): string {
  const name = target === undefined ? path : `'${path}' -> '${target}'`;
  const wide = (id: number, text: string | undefined) =>
    `${String(id).padStart(5)}/${(text ?? 'UNKNOWN').padStart(8)}`;
  const blocks = String(kibOnDisk(found.kind, found.size) * 2).padEnd(10);
  const time = fullTime(found.modifiedAt);
  return `  File: ${name}
  Size: ${String(found.size).padEnd(10)}\tBlocks: ${blocks} IO Block: 4096   ${kindText(found)}
Device: 2ah/42d\tInode: ${String(found.inode).padEnd(10)}  Links: ${found.links}
Access: (${found.mode.toString(8).padStart(4, '0')}/${modeText(found)})  Uid: (${wide(found.uid, nameOf(found.uid))})   Gid: (${wide(found.gid, groupNameOf(found.gid))})
Access: ${time}
Modify: ${time}
Change: ${time}
`;
}

const du = command('ashkmcd:xlLH', async (tool) => {
  const depth = tool.has('s') ? 0 : Number(tool.options.value('d') ?? Number.POSITIVE_INFINITY);
  let total = 0;
  const shown = (kib: number) =>
    tool.has('h') ? humanSize(kib * 1024) : String(tool.has('m') ? Math.ceil(kib / 1024) : kib);
  const measure = async (path: string, level: number): Promise<number> => {
    const { kind, size } = await tool.process.fs.lstat(path);
    let sum = kibOnDisk(kind, size);
    const names = kind === 'directory' ? await tool.process.fs.readdir(path) : [];
    await eachOperand(tool, names, async (name) => {
      sum += await measure(joined(path, name), level + 1);
    });
    const isShown = level === 0 || kind === 'directory' || tool.has('a');
    if (isShown && level <= depth) await tool.print(`${shown(sum)}\t${path}\n`);
    return sum;
  };
  await eachOperand(tool, tool.operands.length > 0 ? tool.operands : ['.'], async (path) => {
    total += await measure(path, 0);
  });
  if (tool.has('c')) await tool.print(`${shown(total)}\ttotal\n`);
});

const readlink = command('fnvqse', async (tool) => {
  const [path] = tool.operands;
  if (path === undefined) throw usage('missing operand');
  const { fs } = tool.process;
  const found = await (tool.has('f') ? canonical(tool, path) : fs.readlink(path)).catch(() => undefined);
  if (found === undefined) return 1;
  await tool.print(tool.has('n') ? found : `${found}\n`);
  return 0;
});

const realpath = command('', async (tool) => {
  if (tool.operands.length === 0) throw usage('missing operand');
  await eachOperand(tool, tool.operands, async (path) =>
    tool.print(`${await tool.process.fs.realpath(path)}\n`),
  );
});

/** Resolves links; the last component need not exist (busybox xmalloc_realpath_coreutils). */
async function canonical(tool: Tool, path: string): Promise<string> {
  const { fs } = tool.process;
  const link = await statIfAny(tool, path, false);
  if (link === undefined) return joined(await fs.realpath(dirOf(path)), baseOf(path));
  if (link.kind !== 'symlink' || (await statIfAny(tool, path, true))) return fs.realpath(path);
  const target = await fs.readlink(path);
  return canonical(tool, target.startsWith('/') ? target : joined(dirOf(path), target));
}

const basename = command({ letters: 'as:' }, async (tool) => {
  const [path, given] = tool.operands;
  if (path === undefined) throw usage('missing operand');
  const suffix = tool.options.value('s') ?? (tool.has('a') ? undefined : given);
  const paths = tool.has('a') || tool.has('s') ? tool.operands : [path];
  for (const one of paths) {
    const base = baseOf(one);
    const isCut = suffix !== undefined && base.endsWith(suffix) && base !== suffix;
    await tool.print(`${isCut ? base.slice(0, base.length - suffix.length) : base}\n`);
  }
});

const dirname = command('', async (tool) => {
  const [path] = tool.operands;
  if (path === undefined) throw usage('missing operand');
  await tool.print(`${dirOf(path)}\n`);
});

export const showCommands: CommandTable = { stat, du, readlink, realpath, basename, dirname };
