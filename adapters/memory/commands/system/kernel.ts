import type { Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { complain, DONE, failWith, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';

/** Whether a process has a capability in force: root has what its container got, others none (capabilities(7)). */
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

/** Shows what is mounted. Mounting needs a kernel: it is refused as the kernel refuses it without SYS_ADMIN. */
const mount: Program = async (process) => {
  if (process.argv.length > 1) {
    const { operands } = getopt(process.argv.slice(1), 'aft:o:rwni', { long: { bind: 'n', rbind: 'n' } });
    const [source = '', path = source] = operands;
    return failWith(process, `mounting ${source} on ${path} failed: Operation not permitted`);
  }
  const lines = await mounts(process);
  const rows = lines.map(({ source, path, type, flags }) => `${source} on ${path} type ${type} (${flags})\n`);
  await print(process, rows.join(''));
  return DONE;
};

const umount: Program = (process) =>
  failWith(process, `can't unmount ${process.argv.at(-1)}: Operation not permitted`);

/** What every file system here is said to hold, in KiB. */
const DISK = 100 * 1024 * 1024;

function human(kibibytes: number): string {
  const units = ['K', 'M', 'G', 'T'];
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, kibibytes)) / 10));
  return `${(kibibytes / 1024 ** step).toFixed(1)}${units[step]}`;
}

const df: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'hkmPTai');
  const all = await mounts(process);
  const meant = options.operands.map((path) => mountOf(all, path));
  const shown =
    options.operands.length > 0 ? meant : all.filter(({ type }) => type !== 'proc' && type !== 'sysfs');
  const show = (kibibytes: number) => {
    if (options.has('h')) return human(kibibytes);
    return String(options.has('m') ? Math.floor(kibibytes / 1024) : kibibytes);
  };
  const size = options.has('h') ? 'Size' : options.has('m') ? '1M-blocks' : '1K-blocks';
  const row = (cells: readonly string[], path: string) =>
    `${(cells[0] ?? '').padEnd(20)} ${cells
      .slice(1)
      .map((cell) => cell.padStart(9))
      .join(' ')} ${path}\n`;
  const rows = shown.map(({ source, path }) =>
    row([source, show(DISK), show(DISK / 4), show((DISK * 3) / 4), '25%'], path),
  );
  await print(
    process,
    [row(['Filesystem', size, 'Used', 'Available', 'Use%'], 'Mounted on'), ...rows].join(''),
  );
  return DONE;
};

/** The mount that a path lies in: the one with the longest path above it. */
function mountOf(all: readonly MountLine[], path: string): MountLine {
  const above = all.filter((one) => path === one.path || path.startsWith(`${one.path.replace(/\/$/, '')}/`));
  const [nearest] = above.sort((a, b) => b.path.length - a.path.length);
  return nearest ?? { source: 'overlay', path: '/', type: 'overlay', flags: '' };
}

/** Reads /proc/sys; writing is the pod's sysctls' business (PodSandboxConfig.linux.sysctls). */
const sysctl: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'anewpq');
  let failures = 0;
  const show = async (key: string, path: string): Promise<void> => {
    const value = (await process.fs.readFile(path)).toString().trimEnd();
    await print(process, options.has('n') ? `${value}\n` : `${key} = ${value}\n`);
  };
  for (const operand of options.operands) {
    const [key = '', value] = operand.split('=');
    const path = `/proc/sys/${key.replaceAll('.', '/')}`;
    const isThere = await process.fs.stat(path).then(
      () => true,
      () => false,
    );
    if (isThere && value === undefined) await show(key, path);
    else {
      failures++;
      const reason = isThere ? 'Read-only file system' : 'No such file or directory';
      if (!options.has('e'))
        await complain(process, `error ${isThere ? 'setting' : 'reading'} key '${key}': ${reason}`);
    }
  }
  if (options.has('a'))
    for (const path of await filesBelow(process, '/proc/sys')) await show(keyOf(path), path);
  return { code: failures === 0 ? 0 : 1 };
};

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

/** Making a bridge is how critest finds out whether a container may change its network: that takes NET_ADMIN. */
const brctl: Program = async (process) => {
  const [, command = '', bridge = ''] = process.argv;
  if (command === 'show') {
    await print(process, 'bridge name\tbridge id\t\tSTP enabled\tinterfaces\n');
    return DONE;
  }
  if (isCapable(process, 'NET_ADMIN')) return DONE;
  return failWith(process, `bridge ${bridge}: Operation not permitted`);
};

const denied =
  (text: string): Program =>
  (process) =>
    failWith(process, text);

export const systemKernelCommands: CommandTable = {
  brctl,
  df,
  mount,
  nsenter: denied('reassociate to namespaces failed: Operation not permitted'),
  sysctl,
  umount,
  unshare: denied('unshare failed: Operation not permitted'),
};
