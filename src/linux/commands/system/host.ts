import { KERNEL } from '../../fs/kernel.js';
import type { Process, Program } from '../../process/process.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { isCapable } from './kernel.js';

const text = async (process: Process, path: string): Promise<string> =>
  (await process.fs.readFile(path)).toString();

const hostname = command('sifd', async (tool) => {
  const { options, process } = tool;
  const { container } = process;
  const [name] = tool.operands;
  if (name !== undefined) {
    const isForbidden = container.security.seccomp?.forbids('sethostname');
    if (isForbidden || !isCapable(process, 'SYS_ADMIN'))
      throw new ToolError('sethostname: Operation not permitted');
    container.setHostname(name);
    return;
  }
  if (options.has('i')) await tool.print(`${container.ips.join(' ')}\n`);
  else if (options.has('d')) await tool.print(`${container.hostname.split('.').slice(1).join('.')}\n`);
  else if (options.has('s')) await tool.print(`${container.hostname.split('.')[0]}\n`);
  else await tool.print(`${container.hostname}\n`);
});

const ARCHITECTURE = 'x86_64';

const UNAME_OPTIONS = {
  all: 'a',
  'kernel-name': 's',
  nodename: 'n',
  'kernel-release': 'r',
  'kernel-version': 'v',
  machine: 'm',
};

const uname = command({ letters: 'asnrvmpio', long: UNAME_OPTIONS }, async (tool) => {
  const { options, process } = tool;
  const parts = {
    s: KERNEL.type,
    n: process.container.hostname,
    r: KERNEL.release,
    v: KERNEL.version,
    m: ARCHITECTURE,
    p: 'unknown',
    i: 'unknown',
    o: 'GNU/Linux',
  };
  const names = Object.keys(parts) as (keyof typeof parts)[];
  const asked = names.filter((name) => options.has(name));
  // uname(1): `-a` omits unknown parts.
  const all = names.filter((name) => parts[name] !== 'unknown');
  const shown = options.has('a') ? all : asked.length > 0 ? asked : (['s'] as const);
  await tool.print(`${shown.map((name) => parts[name]).join(' ')}\n`);
});

const arch = command({ isRaw: true }, async (tool) => {
  await tool.print(`${ARCHITECTURE}\n`);
});

const uptime = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const [seconds = '0'] = (await text(process, '/proc/uptime')).split(' ');
  const minutes = Math.floor(Number(seconds) / 60);
  const days = Math.floor(minutes / 1440);
  const clock = new Date(Number(process.clock.now() / 1_000_000n)).toISOString().slice(11, 19);
  const hours = `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, '0')}`;
  const up = `${days > 0 ? `${days} days, ` : ''}${minutes < 60 ? `${minutes} min` : hours}`;
  await tool.print(` ${clock} up ${up},  0 users,  load average: 0.00, 0.00, 0.00\n`);
});

const nproc = command({ isRaw: true }, async (tool) => {
  const { process } = tool;
  const processors = (await text(process, '/proc/cpuinfo')).match(/^processor/gm)?.length ?? 1;
  await tool.print(`${processors}\n`);
});

/** Like busybox's free, from /proc/meminfo; in KiB, or MiB with -m, and so on. */
const free = command('bkmgh', async (tool) => {
  const { options, process } = tool;
  const info = await text(process, '/proc/meminfo');
  const divisor = options.has('b') ? 1 / 1024 : options.has('m') ? 1024 : options.has('g') ? 1024 ** 2 : 1;
  const value = (name: string) =>
    Math.floor(Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(info)?.[1] ?? 0) / divisor);
  const row = (name: string, values: readonly number[]) =>
    `${name.padEnd(7)}${values.map((one) => String(one).padStart(12)).join('')}\n`;
  const [total, unused, cached] = [value('MemTotal'), value('MemFree'), value('Cached')];
  const titles = ['total', 'used', 'free', 'shared', 'buff/cache', 'available'];
  await tool.print(
    [
      `${' '.repeat(7)}${titles.map((title) => title.padStart(12)).join('')}\n`,
      row('Mem:', [total, total - unused - cached, unused, 0, cached, value('MemAvailable')]),
      row('Swap:', [value('SwapTotal'), 0, value('SwapFree')]),
    ].join(''),
  );
});

const dmesg = command({ isRaw: true }, async ({ process }) => {
  if (!process.container.privileged) throw new ToolError('klogctl: Operation not permitted');
});

/** A container has no syslog daemon: the message is lost, unless `-s` prints it on standard error. */
const logger = command('st:p:', async (tool) => {
  const { options, process } = tool;
  const tag = options.value('t') ?? process.user.name;
  if (tool.has('s')) await process.stderr.write(Buffer.from(`${tag}: ${options.operands.join(' ')}\n`));
});

const sync: Program = async () => ({ code: 0 });

export const systemHostCommands: CommandTable = {
  arch,
  dmesg,
  free,
  hostname,
  logger,
  nproc,
  sync,
  uname,
  uptime,
};
