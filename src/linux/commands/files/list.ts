import { groupNameOf, nameOf } from '../../accounts.js';
import type { FileStat } from '../../fs/file-stat.js';
import { joined } from '../kit/paths.js';
import { command, eachOperand, type Tool } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { humanSize, kibOnDisk, listedTime } from './human.js';
import { modeText } from './mode.js';

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly stat: FileStat;
}

const ls = command(
  {
    letters: '1AaCxdLHRFplinshrSXvctuw:k',
    long: { all: 'a', 'almost-all': 'A', color: 'k', recursive: 'R' },
  },
  async (tool) => {
    const [files, directories]: [Entry[], Entry[]] = [[], []];
    const operands = tool.operands.length > 0 ? tool.operands : ['.'];
    await eachOperand(tool, operands, async (path) => {
      const isFollowed = !tool.has('l') || tool.has('H') || tool.has('L');
      const stat = await (isFollowed ? tool.process.fs.stat(path) : tool.process.fs.lstat(path));
      const isListed = stat.kind === 'directory' && !tool.has('d');
      (isListed ? directories : files).push({ name: path, path, stat });
    });
    await show(tool, ordered(tool, files));
    let hasTitle = operands.length > 1 || tool.has('R');
    let hasGap = files.length > 0;
    for (const { path } of ordered(tool, directories)) {
      await list(tool, path, hasTitle, hasGap);
      [hasTitle, hasGap] = [operands.length > 1 || tool.has('R'), true];
    }
  },
);

async function statOf(tool: Tool, path: string): Promise<FileStat> {
  const { fs } = tool.process;
  return tool.has('L') ? fs.stat(path).catch(() => fs.lstat(path)) : fs.lstat(path);
}

async function list(tool: Tool, path: string, hasTitle: boolean, hasGap: boolean): Promise<void> {
  const entries: Entry[] = [];
  await eachOperand(tool, [path], async () => {
    const names = await tool.process.fs.readdir(path);
    const hidden = tool.has('a') || tool.has('A');
    const shown = names.filter((name) => hidden || !name.startsWith('.'));
    for (const name of tool.has('a') ? ['.', '..', ...shown] : shown) {
      const one = joined(path, name);
      entries.push({ name, path: one, stat: await statOf(tool, one) });
    }
  });
  if (hasTitle) await tool.print(`${hasGap ? '\n' : ''}${path}:\n`);
  if (tool.has('l') || tool.has('s')) {
    const total = entries.reduce((sum, { stat }) => sum + kibOnDisk(stat.kind, stat.size), 0);
    await tool.print(`total ${tool.has('h') ? humanSize(total * 1024) : total}\n`);
  }
  const sorted = ordered(tool, entries);
  await show(tool, sorted);
  if (!tool.has('R')) return;
  for (const { name, path: below, stat } of sorted) {
    if (stat.kind === 'directory' && name !== '.' && name !== '..') await list(tool, below, true, true);
  }
}

function ordered(tool: Tool, entries: readonly Entry[]): Entry[] {
  const byName = (one: Entry, other: Entry) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
  const compare = (one: Entry, other: Entry): number => {
    if (tool.has('t') && one.stat.modifiedAt !== other.stat.modifiedAt) {
      return one.stat.modifiedAt > other.stat.modifiedAt ? -1 : 1;
    }
    if (tool.has('S')) return other.stat.size - one.stat.size || byName(one, other);
    return byName(one, other);
  };
  const sorted = [...entries].sort(compare);
  return tool.has('r') ? sorted.reverse() : sorted;
}

async function show(tool: Tool, entries: readonly Entry[]): Promise<void> {
  const isWide = !tool.has('1') && !tool.has('l') && tool.process.stdout.terminal !== undefined;
  if (isWide || (tool.has('C') && !tool.has('l')))
    await tool.print(columns(entries.map((one) => marked(tool, one))));
  else for (const entry of entries) await tool.print(`${await lineOf(tool, entry)}\n`);
}

async function lineOf(tool: Tool, entry: Entry): Promise<string> {
  const { stat, path } = entry;
  const inode = tool.has('i') ? `${String(stat.inode).padStart(7)} ` : '';
  const blocks = tool.has('s') ? `${String(kibOnDisk(stat.kind, stat.size)).padStart(6)} ` : '';
  if (!tool.has('l') && !tool.has('n')) return inode + blocks + marked(tool, entry);
  const user = (!tool.has('n') && nameOf(stat.uid)) || String(stat.uid);
  const group = (!tool.has('n') && groupNameOf(stat.gid)) || String(stat.gid);
  const size = tool.has('h') ? humanSize(stat.size).padStart(7) : String(stat.size).padStart(9);
  const time = listedTime(stat.modifiedAt, tool.process.clock.now());
  const target = stat.kind === 'symlink' ? ` -> ${await tool.process.fs.readlink(path)}` : '';
  const links = String(stat.links).padStart(4);
  const owners = `${user.padEnd(8)} ${group.padEnd(8)}`;
  return `${inode}${blocks}${modeText(stat)} ${links} ${owners} ${size} ${time} ${marked(tool, entry)}${target}`;
}

function marked(tool: Tool, { name, stat }: Entry): string {
  if (stat.kind === 'directory' && (tool.has('F') || tool.has('p'))) return `${name}/`;
  if (!tool.has('F')) return name;
  if (stat.kind === 'file') return (stat.mode & 0o111) !== 0 ? `${name}*` : name;
  return name + ({ symlink: '@', pipe: '|' }[stat.kind as string] ?? '');
}

const WIDTH = 80;

/** Arranges names in as many columns as fit into 80 characters. */
function columns(names: readonly string[]): string {
  if (names.length === 0) return '';
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const rows = Math.ceil(names.length / Math.max(1, Math.floor(WIDTH / width)));
  const lines = Array.from({ length: rows }, (_, row) =>
    names
      .filter((_, index) => index % rows === row)
      .map((name) => name.padEnd(width))
      .join('')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

export const listCommands: CommandTable = { ls };
