import type { Process } from '../../process/process.js';
import { ToolError } from '../kit/tool.js';
import { isCapable } from '../system/kernel.js';

interface Named {
  readonly name: string;
}

/** Dummy devices of one network. Linux has no such limit, but they take memory of the server. */
const MOST_LINKS = 1000;
/** Bytes of a name (IFNAMSIZ, without the end). */
const LONGEST_NAME = 15;

/** `ip link add|del|set` for dummy devices: no other device of a pod can be changed. */
export function changeLinks(
  process: Process,
  all: readonly Named[],
  command: string,
  words: readonly string[],
): void {
  const name = nameIn(words);
  if ('add'.startsWith(command)) add(process, all, name, typeIn(words));
  else if ('delete'.startsWith(command)) remove(process, found(all, name));
  else if ('set'.startsWith(command)) set(process, found(all, name), words.at(-1));
  else throw new ToolError(`invalid argument '${command}' to 'ip link'`);
}

function add(process: Process, all: readonly Named[], name: string, type: string | undefined): void {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new ToolError(`invalid argument '${name}' to 'name'`);
  demandRight(process);
  if (!isName(name)) throw refusal('Invalid argument');
  if (all.some((one) => one.name === name)) throw refusal('File exists');
  if (type !== 'dummy') throw refusal('Operation not supported');
  const { links } = process.container;
  if (links.size >= MOST_LINKS) throw refusal('Cannot allocate memory');
  links.set(name, false);
}

function remove(process: Process, name: string): void {
  demandRight(process);
  if (!process.container.links.delete(name)) throw refusal('Operation not supported');
}

function set(process: Process, name: string, state: string | undefined): void {
  demandRight(process);
  const { links } = process.container;
  if (!links.has(name) || (state !== 'up' && state !== 'down')) throw refusal('Operation not permitted');
  links.set(name, state === 'up');
}

/** The kernel's rule for names (dev_valid_name in net/core/dev.c). */
const isName = (name: string): boolean => name !== '.' && name !== '..' && !/[/:\s]/.test(name);

/** Changing a network requires NET_ADMIN in it (rtnetlink(7)). */
function demandRight(process: Process): void {
  if (!isCapable(process, 'NET_ADMIN')) throw refusal('Operation not permitted');
}

const refusal = (reason: string): ToolError => new ToolError(`RTNETLINK answers: ${reason}`, 2);

/** The name may follow `dev` or `name`; everything else has a keyword before it. */
function nameIn(words: readonly string[]): string {
  const [first = '', second = ''] = words;
  const name = first === 'dev' || first === 'name' ? second : first;
  if (name === '') throw new ToolError('not enough information: "dev" argument is required');
  return name;
}

function typeIn(words: readonly string[]): string | undefined {
  const at = words.indexOf('type');
  return at === -1 ? undefined : words[at + 1];
}

function found(all: readonly Named[], name: string): string {
  if (!all.some((one) => one.name === name)) throw new ToolError(`can't find device '${name}'`);
  return name;
}
