import type { Process } from '../../process/process.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { changeLinks } from './links.js';

interface Interface {
  readonly name: string;
  readonly kind: 'loopback' | 'veth' | 'dummy';
  /** Undefined for one without an address. */
  readonly address: string | undefined;
  readonly prefix: number;
  readonly mac: string;
  readonly isUp: boolean;
}

const LOOPBACK: Interface = {
  name: 'lo',
  kind: 'loopback',
  address: '127.0.0.1',
  prefix: 8,
  mac: '00:00:00:00:00:00',
  isUp: true,
};

/** The node's eth0. It has no address: loopback reaches the node's network. */
const NODE_INTERFACE: Interface = {
  name: 'eth0',
  kind: 'veth',
  address: undefined,
  prefix: 0,
  mac: '0a:58:7f:00:00:01',
  isUp: true,
};

/** A pod has eth0 with its address, and added devices; the node's network has the simulated node's. */
function interfacesOf({ container: { ips, links } }: Process): readonly Interface[] {
  const [ip] = ips;
  const first = [LOOPBACK, ip === undefined ? NODE_INTERFACE : podInterface(ip)];
  const added = [...links].map(([name, isUp], index) => dummyInterface(name, isUp, first.length + index));
  return [...first, ...added];
}

function podInterface(address: string): Interface {
  const tail = address.split('.').map((part) => hexByte(Number(part)));
  return { name: 'eth0', kind: 'veth', address, prefix: 10, mac: `0a:58:${tail.join(':')}`, isUp: true };
}

function dummyInterface(name: string, isUp: boolean, index: number): Interface {
  const mac = `02:00:00:00:00:${hexByte(index)}`;
  return { name, kind: 'dummy', address: undefined, prefix: 0, mac, isUp };
}

const hexByte = (value: number): string => (value & 255).toString(16).padStart(2, '0');

const FLAGS: Readonly<Record<Interface['kind'], readonly [up: string, down: string]>> = {
  loopback: ['LOOPBACK,UP,LOWER_UP', 'LOOPBACK'],
  veth: ['BROADCAST,MULTICAST,UP,LOWER_UP,M-DOWN', 'BROADCAST,MULTICAST'],
  dummy: ['BROADCAST,NOARP,UP,LOWER_UP', 'BROADCAST,NOARP'],
};

function linkLines({ name, kind, mac, isUp }: Interface, index: number): string {
  const isLoopback = kind === 'loopback';
  const flags = FLAGS[kind][isUp ? 0 : 1];
  const shown = kind === 'veth' ? `${name}@if${index + 2}` : name;
  const broadcast = isLoopback ? '00:00:00:00:00:00' : 'ff:ff:ff:ff:ff:ff';
  const queue = isUp ? 'noqueue' : 'noop';
  return `${index + 1}: ${shown}: <${flags}> mtu ${isLoopback ? 65_536 : 1500} qdisc ${queue} \n    link/${isLoopback ? 'loopback' : 'ether'} ${mac} brd ${broadcast}\n`;
}

function addressLines({ name, kind, address, prefix }: Interface): string {
  if (address === undefined) return '';
  const scope = kind === 'loopback' ? 'scope host lo' : `scope global ${name}`;
  return `    inet ${address}/${prefix} ${scope}\n       valid_lft forever preferred_lft forever\n`;
}

function briefLine(one: Interface, index: number, object: string): string {
  const whole = object.startsWith('a') ? addressLines(one) : linkLines(one, index);
  const line = whole.replace(/\n {4,}(?=\S)/g, '\\ ');
  return object.startsWith('a') && line !== '' ? `${index + 1}: ${one.name}${line}` : line;
}

const SHOWING = ['show', 'list', 'ls', 's', 'l'];

/** `ip addr`, `ip link` and `ip route`: they show devices, and can add dummy ones. */
const ip = command({ letters: '46o', long: { brief: 'o' } }, async (tool) => {
  const [object = '', command = 'show', ...rest] = tool.operands;
  const isLink = object !== '' && 'link'.startsWith(object);
  if (!SHOWING.includes(command)) {
    if (!isLink) throw new ToolError('RTNETLINK answers: Operation not permitted', 2);
    changeLinks(tool.process, interfacesOf(tool.process), command, rest);
  } else if (object !== '' && 'route'.startsWith(object)) await tool.print(routesOf(tool.process));
  else if (isLink || 'address'.startsWith(object)) await showInterfaces(tool, object, rest);
  else throw new ToolError(`Object "${object}" is unknown, try "ip help".`);
});

function routesOf({ container }: Process): string {
  const [own] = container.ips;
  if (own === undefined) return '';
  return `default via 127.64.0.0 dev eth0 \n127.64.0.0/10 dev eth0 scope link  src ${own} \n`;
}

async function showInterfaces(tool: Tool, object: string, rest: readonly string[]): Promise<void> {
  const wanted = rest.filter((word) => word !== 'dev').at(-1);
  const all = interfacesOf(tool.process).map((one, index) => ({ one, index }));
  const shown = all.filter(({ one }) => wanted === undefined || one.name === wanted);
  if (shown.length === 0) throw new ToolError(`can't find device '${wanted}'`);
  const lines = shown.map(({ one, index }) => {
    if (tool.has('o')) return briefLine(one, index, object);
    return `${linkLines(one, index)}${object.startsWith('a') ? addressLines(one) : ''}`;
  });
  await tool.print(lines.join(''));
}

const ifconfig = command('a', async (tool) => {
  const [wanted] = tool.operands;
  const isMeant = ({ name, isUp }: Interface) =>
    wanted === undefined ? isUp || tool.has('a') : name === wanted;
  const shown = interfacesOf(tool.process).filter(isMeant);
  if (shown.length === 0)
    throw new ToolError(`${wanted}: error fetching interface information: Device not found`);
  await tool.print(shown.map(configurationOf).join(''));
});

function configurationOf(one: Interface): string {
  const isLoopback = one.kind === 'loopback';
  const [up, running] = one.isUp ? ['UP ', ' RUNNING'] : ['', ''];
  const more = { loopback: '', veth: ' MULTICAST', dummy: ' NOARP' }[one.kind];
  const lines = [
    `Link encap:${isLoopback ? 'Local Loopback' : `Ethernet  HWaddr ${one.mac.toUpperCase()}`}`,
    ...(one.address === undefined ? [] : [`inet addr:${one.address}  Mask:${maskOf(one)}`]),
    `${up}${isLoopback ? 'LOOPBACK' : 'BROADCAST'}${running}${more}  MTU:${isLoopback ? 65_536 : 1500}  Metric:1`,
  ];
  return `${one.name.padEnd(10)}${lines.join(`\n${' '.repeat(10)}`)}\n\n`;
}

const maskOf = ({ prefix }: Interface): string =>
  [24, 16, 8, 0].map((shift) => ((0xffffffff << (32 - prefix)) >>> shift) & 255).join('.');

export const networkInterfaceCommands: CommandTable = { ifconfig, ip };
