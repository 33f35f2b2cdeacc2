import { networkInterfaces } from 'node:os';
import type { Process } from '../../process/process.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { routes } from './sockets.js';

interface Interface {
  readonly name: string;
  readonly address: string;
  readonly prefix: number;
  readonly mac: string;
}

const LOOPBACK: Interface = { name: 'lo', address: '127.0.0.1', prefix: 8, mac: '00:00:00:00:00:00' };

/** A pod has eth0 with its address; in the host's network there are the host's own interfaces. */
function interfacesOf({ container: { ips } }: Process): readonly Interface[] {
  const [ip] = ips;
  if (ip === undefined) return hostInterfaces();
  const tail = ip.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return [LOOPBACK, { name: 'eth0', address: ip, prefix: 10, mac: `0a:58:${tail.join(':')}` }];
}

const hostInterfaces = (): readonly Interface[] =>
  Object.entries(networkInterfaces()).flatMap(([name, all = []]) =>
    all
      .filter(({ family }) => family === 'IPv4')
      .map(({ address, mac, cidr }) => ({ name, address, mac, prefix: Number(cidr?.split('/')[1] ?? 32) })),
  );

const isLoopback = ({ name }: Interface): boolean => name === 'lo';

function linkLines(one: Interface, index: number): string {
  const flags = isLoopback(one) ? 'LOOPBACK,UP,LOWER_UP' : 'BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN';
  const kind = isLoopback(one) ? 'loopback' : 'ether';
  const name = isLoopback(one) ? 'lo' : `${one.name}@if${index + 2}`;
  const broadcast = isLoopback(one) ? '00:00:00:00:00:00' : 'ff:ff:ff:ff:ff:ff';
  return `${index + 1}: ${name}: <${flags}> mtu ${isLoopback(one) ? 65_536 : 1500} qdisc noqueue \n    link/${kind} ${one.mac} brd ${broadcast}\n`;
}

function addressLines(one: Interface): string {
  const scope = isLoopback(one) ? 'scope host lo' : `scope global ${one.name}`;
  return `    inet ${one.address}/${one.prefix} ${scope}\n       valid_lft forever preferred_lft forever\n`;
}

/** `ip addr`, `ip link` and `ip route`, of which only showing is possible. */
const ip = command({ letters: '46o', long: { brief: 'o' } }, async (tool) => {
  const { options, process } = tool;
  const [object = '', command = 'show', ...rest] = tool.operands;
  const isShown = ['show', 'list', 'ls', 's', 'l'].includes(command);
  if (!isShown) throw new ToolError('RTNETLINK answers: Operation not permitted', 2);
  if ('route'.startsWith(object) && object !== '') {
    const [own] = process.container.ips;
    const rows =
      own === undefined
        ? ''
        : `default via 127.64.0.0 dev eth0 \n127.64.0.0/10 dev eth0 scope link  src ${own} \n`;
    await tool.print(rows);
    return;
  }
  if (!'address'.startsWith(object) && object !== 'link' && object !== 'l')
    throw new ToolError(`Object "${object}" is unknown, try "ip help".`);
  const wanted = rest.filter((word) => word !== 'dev').at(-1);
  const all = interfacesOf(process).map((one, index) => ({ one, index }));
  const shown = all.filter(({ one }) => wanted === undefined || one.name === wanted);
  if (shown.length === 0) throw new ToolError(`can't find device '${wanted}'`);
  const lines = shown.map(({ one, index }) => {
    if (options.has('o')) return `${index + 1}: ${one.name}${addressLines(one).replace('\n      ', '\\')}`;
    return `${linkLines(one, index)}${object.startsWith('a') ? addressLines(one) : ''}`;
  });
  await tool.print(lines.join(''));
});

const ifconfig = command('a', async (tool) => {
  const { process } = tool;
  const [wanted] = tool.operands;
  const shown = interfacesOf(process).filter(({ name }) => wanted === undefined || name === wanted);
  if (shown.length === 0)
    throw new ToolError(`${wanted}: error fetching interface information: Device not found`);
  for (const one of shown) {
    const mask = [24, 16, 8, 0].map((shift) => ((0xffffffff << (32 - one.prefix)) >>> shift) & 255).join('.');
    const lines = isLoopback(one)
      ? [
          'Link encap:Local Loopback',
          `inet addr:${one.address}  Mask:${mask}`,
          'UP LOOPBACK RUNNING  MTU:65536  Metric:1',
        ]
      : [
          `Link encap:Ethernet  HWaddr ${one.mac.toUpperCase()}`,
          `inet addr:${one.address}  Mask:${mask}`,
          'UP BROADCAST RUNNING MULTICAST  MTU:1500  Metric:1',
        ];
    await tool.print(`${one.name.padEnd(10)}${lines.join(`\n${' '.repeat(10)}`)}\n\n`);
  }
});

const route = command({ isRaw: true }, async (tool) => {
  await tool.print(`Kernel IP routing table\n${routes(tool.process)}`);
});

/** They show; nothing can be set up. */
export const networkInterfaceCommands: CommandTable = { ifconfig, ip, route };
