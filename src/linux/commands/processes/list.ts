import type { Process, SeenProcess } from '../../process/process.js';
import { command, demandFormat, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { commandLine, ownerName, programName, visibleFrom } from './facts.js';

interface Column {
  readonly width: number;
  readonly left?: boolean;
  readonly title: string;
  readonly of: (process: SeenProcess) => string;
}

/** The columns of busybox's ps, by their names in `-o`. Columns that are not simulated have constant values. */
const COLUMNS: Readonly<Record<string, Column>> = {
  pid: { width: 5, title: 'PID', of: ({ pid }) => String(pid) },
  ppid: { width: 5, title: 'PPID', of: ({ ppid }) => String(ppid) },
  pgid: { width: 5, title: 'PGID', of: ({ group }) => String(group.id) },
  user: { width: 8, left: true, title: 'USER', of: ownerName },
  group: { width: 8, left: true, title: 'GROUP', of: ({ user }) => String(user.gid) },
  comm: { width: 16, left: true, title: 'COMMAND', of: programName },
  args: { width: 256, left: true, title: 'COMMAND', of: commandLine },
  stat: { width: 4, left: true, title: 'STAT', of: (process) => (process.pid === 1 ? 'Ss' : 'S') },
  time: { width: 5, title: 'TIME', of: () => '0:00' },
  tty: { width: 6, left: true, title: 'TT', of: ({ tty }) => (tty ? '136,0' : '?') },
  vsz: { width: 4, title: 'VSZ', of: () => '1312' },
  rss: { width: 4, title: 'RSS', of: () => '4' },
  nice: { width: 5, title: 'NI', of: () => '0' },
};

function table(columns: readonly Column[], processes: readonly SeenProcess[]): string {
  const aligned = ({ width, left }: Column, text: string, index: number): string => {
    if (!left) return text.padStart(width);
    return index === columns.length - 1 ? text : text.padEnd(width);
  };
  const head = columns.map((column, index) => aligned({ ...column, left: true }, column.title, index));
  const rows = processes.map((process) =>
    columns.map((column, index) => aligned(column, column.of(process), index)),
  );
  return [head, ...rows].map((cells) => `${cells.join(' ')}\n`).join('');
}

/** Like busybox's ps: `aux` and `-ef` have no effect, `-o` selects columns. */
const ps = command('o:TaAdefjluwxZ', async (tool) => {
  const { options, process } = tool;
  const names = options.values('o').flatMap((list) => demandFormat(list).split(','));
  const columns = (names.length > 0 ? names : ['pid', 'user', 'time', 'args']).map((given) => {
    const [name = '', title] = given.split('=');
    const column = COLUMNS[name];
    if (column === undefined)
      throw new ToolError(
        `bad -o argument '${name}', supported arguments: ${Object.keys(COLUMNS).join(',')}`,
      );
    return title === undefined ? column : { ...column, title };
  });
  await tool.print(table(columns, visibleFrom(process)));
});

/** A batch of top: the whole machine idle, every process with it. */
function frame(process: Process): string {
  const processes = visibleFrom(process);
  const limit = process.container.memoryLimit ?? 8 * 1024 ** 3;
  const used = processes.length * 1312;
  const rows = processes.map((one) =>
    [
      String(one.pid).padStart(5),
      String(one.ppid).padStart(5),
      ownerName(one).padEnd(8),
      one.pid === process.pid ? 'R   ' : 'S   ',
      '1312'.padStart(6),
      '  0%   0   0%',
      commandLine(one),
    ].join(' '),
  );
  return [
    `Mem: ${used}K used, ${Math.floor(limit / 1024) - used}K free, 0K shrd, 0K buff, 0K cached`,
    'CPU:   0% usr   0% sys   0% nic 100% idle   0% io   0% irq   0% sirq',
    `Load average: 0.00 0.00 0.00 1/${processes.length} ${process.pid}`,
    '  PID  PPID USER     STAT    VSZ %VSZ CPU %CPU COMMAND',
    ...rows,
    '',
  ].join('\n');
}

/** In ms: drawing also takes time. */
const LEAST_DELAY = 10;

/** Like busybox's top: it handles TERM and similar signals itself, so they end it even as PID 1. */
const top = command('bmn:d:H', async (tool) => {
  const { options, process } = tool;
  const ended = new Promise<number>((resolve) => {
    for (const [signal, number] of [
      ['HUP', 1],
      ['INT', 2],
      ['TERM', 15],
    ] as const)
      process.onSignal(signal, () => resolve(128 + number));
  });
  const delay = Math.max(LEAST_DELAY, Number(options.value('d') ?? 5) * 1000 || 0);
  const frames = Number(options.value('n') ?? Number.POSITIVE_INFINITY);
  const drawing = process.clock.run(async () => {
    for (let drawn = 1; ; drawn++) {
      await tool.print(`${process.tty ? '\x1b[H\x1b[J' : ''}${frame(process)}`);
      await tool.flush();
      if (drawn >= frames) return 0;
      await process.sleep(delay);
    }
  });
  return process.clock.idle(Promise.race([drawing, ended]));
});

/** busybox's ps and top: they show the PID namespace, which a pod may share. */
export const processListCommands: CommandTable = { ps, top };
