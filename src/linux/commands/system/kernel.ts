import type { Space } from '../../fs/file-stat.js';
import type { Process, Program } from '../../process/process.js';
import { statIfAny } from '../kit/paths.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** Whether a process has an effective capability: root has its container's, others have none (capabilities(7)). */
export const isCapable = ({ user, container }: Process, capability: string): boolean =>
  user.uid === 0 && container.capabilities.includes(capability);

interface MountLine {
  readonly source: string;
  readonly path: string;
  readonly type: string;
  readonly flags: string;
}

async function mounts(process: Process): Promise<readonly MountLine[]> {
  const lines = (await process.fs.readFile('/proc/mounts')).toString().split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const [source = '', path = '', type = '', flags = ''] = line.split(' ');
      return { source, path, type, flags };
    });
}

/** Shows mounts, with `-t` only of these types. Mounting fails as in the kernel without SYS_ADMIN. */
const mount = command({ letters: 'aft:o:rwni', long: { bind: 'n', rbind: 'n' } }, async (tool) => {
  const types = tool.options.value('t')?.split(',');
  if (tool.operands.length > 0 || (tool.args.length > 0 && types === undefined)) {
    const [source = '', path = source] = tool.operands;
    throw new ToolError(`mounting ${source} on ${path} failed: Operation not permitted`);
  }
  const lines = (await mounts(tool.process)).filter(({ type }) => types?.includes(type) ?? true);
  const rows = lines.map(({ source, path, type, flags }) => `${source} on ${path} type ${type} (${flags})\n`);
  await tool.print(rows.join(''));
});

const umount = command({ isRaw: true }, async ({ args }) => {
  throw new ToolError(`can't unmount ${args.at(-1)}: Operation not permitted`);
});

/** Size of a simulated file system, in bytes. */
const DISK = 100 * 1024 ** 3;
const SIMULATED: Space = { size: DISK, used: DISK / 4, available: (DISK * 3) / 4 };

const WITHOUT_SPACE: ReadonlySet<string> = new Set(['proc', 'sysfs', 'cgroup2']);

const percentage = ({ used, available }: Space): string =>
  `${Math.ceil((100 * used) / Math.max(1, used + available))}%`;

function human(kibibytes: number): string {
  const units = ['K', 'M', 'G', 'T'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, kibibytes)) / 10));
  return `${(kibibytes / 1024 ** step).toFixed(1)}${units[step]}`;
}

const df = command('hkmPTai', async (tool) => {
  const { options } = tool;
  const all = await mounts(tool.process);
  const meant = options.operands.map((path) => mountOf(all, path));
  const shown = options.operands.length > 0 ? meant : all.filter(({ type }) => !WITHOUT_SPACE.has(type));
  const show = (kibibytes: number) => {
    if (options.has('h')) return human(kibibytes);
    return String(Math.round(options.has('m') ? kibibytes / 1024 : kibibytes));
  };
  const size = options.has('h') ? 'Size' : options.has('m') ? '1M-blocks' : '1K-blocks';
  const row = (cells: readonly string[], path: string) =>
    `${(cells[0] ?? '').padEnd(20)} ${cells
      .slice(1)
      .map((cell) => cell.padStart(9))
      .join(' ')} ${path}\n`;
  const rows: string[] = [];
  for (const { source, path } of shown) {
    const space = (await tool.process.fs.space(path).catch(() => undefined)) ?? SIMULATED;
    const cells = [space.size, space.used, space.available].map((bytes) => show(bytes / 1024));
    rows.push(row([source, ...cells, percentage(space)], path));
  }
  await tool.print([row(['Filesystem', size, 'Used', 'Available', 'Use%'], 'Mounted on'), ...rows].join(''));
});

function mountOf(all: readonly MountLine[], path: string): MountLine {
  const above = all.filter((one) => path === one.path || path.startsWith(`${one.path.replace(/\/$/, '')}/`));
  const [nearest] = above.sort((a, b) => b.path.length - a.path.length);
  return nearest ?? { source: 'overlay', path: '/', type: 'overlay', flags: '' };
}

/** Reads /proc/sys, and writes it in a privileged container: in others it is mounted read-only. */
const sysctl = command('anewpq', async (tool) => {
  const { fs } = tool.process;
  const show = async (key: string, path: string): Promise<void> => {
    const value = (await fs.readFile(path)).toString().trimEnd();
    await tool.print(tool.has('n') ? `${value}\n` : `${key} = ${value}\n`);
  };
  for (const operand of tool.operands) {
    const [key = '', value] = operand.split('=');
    const path = `/proc/sys/${key.replaceAll('.', '/')}`;
    if (value !== undefined && tool.process.container.privileged) {
      await write(tool, keyOf(path), value);
      continue;
    }
    const isThere = (await statIfAny(tool, path, true)) !== undefined;
    if (isThere && value === undefined) await show(keyOf(path), path);
    else await refuse(tool, key, isThere);
  }
  if (tool.has('a'))
    for (const path of await filesBelow(tool.process, '/proc/sys')) await show(keyOf(path), path);
});

/** A kernel has more sysctls than the simulation knows. */
async function write(tool: Tool, key: string, value: string): Promise<void> {
  const isName = /^[a-z][\w.:-]{1,100}$/i.test(key) && value.length <= LONGEST_VALUE;
  if (!isName || !tool.process.container.setSysctl(key, value)) await refuse(tool, key, false);
  else if (!tool.has('q')) await tool.print(`${key} = ${value}\n`);
}

const LONGEST_VALUE = 256;

async function refuse(tool: Tool, key: string, isThere: boolean): Promise<void> {
  const reason = isThere ? 'Read-only file system' : 'No such file or directory';
  tool.code = 1;
  if (!tool.has('e')) await tool.complain(`error ${isThere ? 'setting' : 'reading'} key '${key}': ${reason}`);
}

const keyOf = (path: string): string => path.slice('/proc/sys/'.length).replaceAll('/', '.');

async function filesBelow(process: Process, directory: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const name of await process.fs.readdir(directory)) {
    const path = `${directory}/${name}`;
    const { kind } = await process.fs.stat(path);
    paths.push(...(kind === 'directory' ? await filesBelow(process, path) : [path]));
  }
  return paths;
}

/** critest creates a bridge to find out whether a container may change its network, which requires NET_ADMIN. */
const brctl = command({ isRaw: true }, async (tool) => {
  const [subcommand = '', bridge = ''] = tool.args;
  if (subcommand === 'show') await tool.print('bridge name\tbridge id\t\tSTP enabled\tinterfaces\n');
  else if (!isCapable(tool.process, 'NET_ADMIN'))
    throw new ToolError(`bridge ${bridge}: Operation not permitted`);
});

const denied = (text: string): Program =>
  command({ isRaw: true }, async () => {
    throw new ToolError(text);
  });

/** Changes to the kernel fail with the error for an unprivileged container. */
export const systemKernelCommands: CommandTable = {
  brctl,
  df,
  mount,
  nsenter: denied('reassociate to namespaces failed: Operation not permitted'),
  sysctl,
  umount,
  unshare: denied('unshare failed: Operation not permitted'),
};
