import type { Process } from '../../process/process.js';
import { command } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

interface SocketRow {
  readonly protocol: 'tcp' | 'tcp6';
  readonly local: string;
  readonly remote: string;
  readonly state: string;
}

/** States by their numbers in /proc/net/tcp (include/net/tcp_states.h). */
const STATES = [
  '',
  'ESTABLISHED',
  'SYN_SENT',
  'SYN_RECV',
  'FIN_WAIT1',
  'FIN_WAIT2',
  'TIME_WAIT',
  'CLOSE',
  'CLOSE_WAIT',
  'LAST_ACK',
  'LISTEN',
  'CLOSING',
];

/** `0100007F:0050` as `127.0.0.1:80`: the address in the byte order of the machine, word by word. */
function endpoint(text: string): string {
  const [address = '', port = ''] = text.split(':');
  const bytes = (address.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).reverse());
  const number = Number.parseInt(port, 16);
  return `${bytes.length === 4 ? bytes.map((byte) => Number.parseInt(byte, 16)).join('.') : sixth(bytes)}:${number || '*'}`;
}

function sixth(bytes: readonly string[]): string {
  const groups = Array.from({ length: 8 }, (_, index) => `${bytes[index * 2]}${bytes[index * 2 + 1]}`);
  const text = groups.map((group) => group.replace(/^0{1,3}/, '').toLowerCase()).join(':');
  return text.replace(/(^|:)(0(:|$)){2,}/, '::');
}

async function sockets(process: Process): Promise<readonly SocketRow[]> {
  const rows: SocketRow[] = [];
  for (const protocol of ['tcp', 'tcp6'] as const) {
    const text = (await process.fs.readFile(`/proc/net/${protocol}`)).toString();
    for (const line of text.split('\n').slice(1)) {
      const [, local, remote, state] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || state === undefined) continue;
      const name = STATES[Number.parseInt(state, 16)] ?? '';
      rows.push({ protocol, local: endpoint(local), remote: endpoint(remote), state: name });
    }
  }
  return rows;
}

/** Listening sockets with -l, all with -a, otherwise connected ones. */
const chosen = (rows: readonly SocketRow[], has: (flag: string) => boolean): readonly SocketRow[] =>
  rows.filter(({ state }) => has('a') || (state === 'LISTEN') === has('l'));

const netstat = command('laentuwxrWp', async (tool) => {
  const { options, process } = tool;
  if (options.has('r')) {
    await tool.print('Kernel IP routing table\n');
    await tool.print(routes(process));
    return;
  }
  const which = options.has('a')
    ? 'servers and established'
    : options.has('l')
      ? 'only servers'
      : 'w/o servers';
  const rows = chosen(await sockets(process), options.has).map(({ protocol, local, remote, state }) => {
    const column = (text: string) => text.padEnd(23);
    return `${protocol.padEnd(5)} ${'0'.padStart(6)} ${'0'.padStart(6)} ${column(local)} ${column(remote)} ${state.padEnd(11)} \n`;
  });
  await tool.print(
    [
      `Active Internet connections (${which})\n`,
      'Proto Recv-Q Send-Q Local Address           Foreign Address         State       \n',
      ...rows,
    ].join(''),
  );
});

const ss = command('laentupwxH46', async (tool) => {
  const { options, process } = tool;
  const rows = chosen(await sockets(process), options.has).map(
    ({ state, local, remote }) =>
      `${state === 'ESTABLISHED' ? 'ESTAB ' : state.padEnd(6)} 0      0      ${local.padStart(25)} ${remote.padStart(25)}\n`,
  );
  await tool.print(
    [
      `State  Recv-Q Send-Q ${'Local Address:Port'.padStart(25)} ${'Peer Address:Port'.padStart(25)}\n`,
      ...rows,
    ].join(''),
  );
});

/** The kernel's routes in the format of route(8): a pod's network is 127.64.0.0/10. */
function routes({ container: { ips } }: Process): string {
  const head = 'Destination     Gateway         Genmask         Flags   MSS Window  irtt Iface\n';
  if (ips.length === 0) return head;
  return `${head}0.0.0.0         127.64.0.0      0.0.0.0         UG        0 0          0 eth0\n127.64.0.0      0.0.0.0         255.192.0.0     U         0 0          0 eth0\n`;
}

export const networkSocketCommands: CommandTable = { netstat, ss };
