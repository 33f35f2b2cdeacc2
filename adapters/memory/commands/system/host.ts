import { KERNEL } from '../../fs/kernel.js';
import type { Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { DONE, failWith, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';
import { isCapable } from './kernel.js';

const text = async (process: Process, path: string): Promise<string> =>
  (await process.fs.readFile(path)).toString();

const hostname: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'sifd');
  const [name] = options.operands;
  const { container } = process;
  if (name !== undefined) {
    const isForbidden = container.security.seccomp?.forbids('sethostname');
    if (isForbidden || !isCapable(process, 'SYS_ADMIN'))
      return failWith(process, 'sethostname: Operation not permitted');
    container.setHostname(name);
    return DONE;
  }
  if (options.has('i')) await print(process, `${container.ips.join(' ')}\n`);
  else if (options.has('d')) await print(process, `${container.hostname.split('.').slice(1).join('.')}\n`);
  else if (options.has('s')) await print(process, `${container.hostname.split('.')[0]}\n`);
  else await print(process, `${container.hostname}\n`);
  return DONE;
};

const ARCHITECTURE = 'x86_64';

const uname: Program = async (process) => {
  const long = { all: 'a', 'kernel-name': 's', nodename: 'n', 'kernel-release': 'r', 'kernel-version': 'v' };
  const options = getopt(process.argv.slice(1), 'asnrvmpio', { long: { ...long, machine: 'm' } });
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
  // uname(1): `-a` leaves out what is unknown.
  const all = names.filter((name) => parts[name] !== 'unknown');
  const shown = options.has('a') ? all : asked.length > 0 ? asked : (['s'] as const);
  await print(process, `${shown.map((name) => parts[name]).join(' ')}\n`);
  return DONE;
};

const arch: Program = async (process) => {
  await print(process, `${ARCHITECTURE}\n`);
  return DONE;
};

const uptime: Program = async (process) => {
  const [seconds = '0'] = (await text(process, '/proc/uptime')).split(' ');
  const minutes = Math.floor(Number(seconds) / 60);
  const days = Math.floor(minutes / 1440);
  const clock = new Date(Number(process.clock.now() / 1_000_000n)).toISOString().slice(11, 19);
  const hours = `${Math.floor(minutes / 60) % 24}:${String(minutes % 60).padStart(2, '0')}`;
  const up = `${days > 0 ? `${days} days, ` : ''}${minutes < 60 ? `${minutes} min` : hours}`;
  await print(process, ` ${clock} up ${up},  0 users,  load average: 0.00, 0.00, 0.00\n`);
  return DONE;
};

const nproc: Program = async (process) => {
  const processors = (await text(process, '/proc/cpuinfo')).match(/^processor/gm)?.length ?? 1;
  await print(process, `${processors}\n`);
  return DONE;
};

/** As busybox's, from /proc/meminfo; in KiB, or MiB with -m, and so on. */
const free: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'bkmgh');
  const info = await text(process, '/proc/meminfo');
  const divisor = options.has('b') ? 1 / 1024 : options.has('m') ? 1024 : options.has('g') ? 1024 ** 2 : 1;
  const value = (name: string) =>
    Math.floor(Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(info)?.[1] ?? 0) / divisor);
  const row = (name: string, values: readonly number[]) =>
    `${name.padEnd(7)}${values.map((one) => String(one).padStart(12)).join('')}\n`;
  const [total, unused, cached] = [value('MemTotal'), value('MemFree'), value('Cached')];
  const titles = ['total', 'used', 'free', 'shared', 'buff/cache', 'available'];
  await print(
    process,
    [
      `${' '.repeat(7)}${titles.map((title) => title.padStart(12)).join('')}\n`,
      row('Mem:', [total, total - unused - cached, unused, 0, cached, value('MemAvailable')]),
      row('Swap:', [value('SwapTotal'), 0, value('SwapFree')]),
    ].join(''),
  );
  return DONE;
};

const dmesg: Program = (process) =>
  process.container.privileged
    ? Promise.resolve(DONE)
    : failWith(process, 'klogctl: Operation not permitted');

/** There is no syslog daemon in a container: the message goes nowhere, unless `-s` wants it on standard error. */
const logger: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'st:p:');
  const tag = options.value('t') ?? process.user.name;
  if (options.has('s')) await process.stderr.write(Buffer.from(`${tag}: ${options.operands.join(' ')}\n`));
  return DONE;
};

const sync: Program = async () => DONE;

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
