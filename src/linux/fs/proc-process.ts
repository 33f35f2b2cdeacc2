import type { Endpoint, SocketState } from '../../base/clock/network/loopback.js';
import type { SeenProcess } from '../process/process.js';
import { FileError } from './file-error.js';
import type { FileUser } from './file-stat.js';
import { GeneratedDirectory, GeneratedLink, StreamNode, TextNode } from './generated.js';
import type { ProcSource } from './proc-source.js';
import { commandName, statText, statusText } from './proc-status.js';
import type { Vnode } from './vnode.js';
import type { TreePosition } from './walker.js';

const SOCKETS_HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

/** By include/net/tcp_states.h. */
const ESTABLISHED = '01';
const LISTEN = '0A';

/** /proc/net/tcp and tcp6: the sockets of the simulated network, never those of this machine. */
const socketsText = (sockets: readonly SocketState[]): string => SOCKETS_HEAD + sockets.map(row).join('');

const DEVICES_HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;

/** /proc/net/dev. All counters are 0. */
const devicesText = (added: readonly string[]): string =>
  DEVICES_HEAD +
  ['lo', 'eth0', ...added].map((name) => `${name.padStart(6)}:${'       0'.repeat(16)}\n`).join('');

const digits = (value: number, width: number): string =>
  value.toString(16).padStart(width, '0').toUpperCase();

export function processNode(process: SeenProcess, source: ProcSource): Vnode {
  const at = source.startedAt;
  const text = (make: () => string | Promise<string>, mode?: number) => new TextNode(make, at, mode);
  const link = (target: () => string) => new ProcessLink(process, source, target);
  const entries = (): Readonly<Record<string, Vnode>> => ({
    cmdline: text(() => process.argv.map((argument) => `${argument}\0`).join('')),
    comm: text(() => `${commandName(process)}\n`),
    cgroup: text(() => '0::/\n'),
    cwd: link(() => process.cwd),
    environ: text(() => [...process.env].map(([key, value]) => `${key}=${value}\0`).join(''), 0o400),
    exe: link(() => process.argv[0] ?? ''),
    fd: new GeneratedDirectory(() => descriptors(process, at), at, 0o500),
    gid_map: text(() => source.idMaps.gids),
    mounts: text(async () => (await process.files?.root())?.walker.mountTable() ?? ''),
    net: new GeneratedDirectory(() => networkFiles(source), at),
    oom_score_adj: text(() => `${process.container.oomScore}\n`, 0o644),
    root: link(() => '/'),
    stat: text(() => statText(process)),
    status: text(() => statusText(process)),
    uid_map: text(() => source.idMaps.uids),
  });
  return new GeneratedDirectory(entries, at);
}

/** A link into the files of a process, which may be another container's (proc(5), /proc/PID/root). */
class ProcessLink extends GeneratedLink {
  readonly #process: SeenProcess;

  constructor(process: SeenProcess, source: ProcSource, target: () => string) {
    super((who) => {
      if (!mayInspect(who, source.view().capabilities, process)) throw new FileError('EACCES');
      return target();
    }, source.startedAt);
    this.#process = process;
  }

  /** Processes without a program have no files. */
  async linkRoot(): Promise<TreePosition> {
    if (this.#process.files === undefined) throw new FileError('EACCES');
    return this.#process.files.root();
  }
}

/**
 * Whether a user may inspect a process: the user's own without more capabilities, or any with SYS_PTRACE (ptrace(2)).
 */
function mayInspect({ pid, user }: FileUser, capabilities: readonly string[], process: SeenProcess): boolean {
  if (pid === process.pid) return true;
  const has = new Set(user.uid === 0 ? capabilities : []);
  if (has.has('SYS_PTRACE')) return true;
  const isOwn = user.uid === process.user.uid && user.gid === process.user.gid;
  return isOwn && (user.uid !== 0 || process.container.capabilities.every((name) => has.has(name)));
}

/** /proc/PID/net, which netstat and ifconfig read. */
function networkFiles({ sockets, startedAt, view }: ProcSource): Readonly<Record<string, Vnode>> {
  const text = (make: () => string) => new TextNode(make, startedAt);
  return {
    dev: text(() => devicesText([...view().links.keys()])),
    tcp: text(() => socketsText(sockets())),
    // Pods have IPv4 addresses only.
    tcp6: text(() => socketsText([])),
  };
}

function row({ local, remote }: SocketState, index: number): string {
  const state = remote === undefined ? LISTEN : ESTABLISHED;
  const ends = `${hexadecimal(local)} ${hexadecimal(remote ?? { address: '0.0.0.0', port: 0 })}`;
  return `${String(index).padStart(4)}: ${ends} ${state} 00000000:00000000 00:00000000 00000000     0        0 0 1\n`;
}

/** An IPv4 address and a port in the format of a little-endian kernel. */
function hexadecimal({ address, port }: Endpoint): string {
  const bytes = address.split('.').reverse().map(Number);
  return `${bytes.map((byte) => digits(byte, 2)).join('')}:${digits(port, 4)}`;
}

/** The standard streams; opening one uses the process's own. */
function descriptors(process: SeenProcess, modifiedAt: bigint): Readonly<Record<string, Vnode>> {
  const read = async (length: number) => {
    const chunk = (await process.stdin.read()) ?? Buffer.alloc(0);
    if (chunk.length > length) process.stdin.unread?.(chunk.subarray(length));
    return chunk.subarray(0, length);
  };
  const look = { mode: 0o600, modifiedAt, uid: process.user.uid, gid: process.user.gid };
  const stream = (write: (chunk: Buffer) => Promise<void>) => new StreamNode('pipe', look, read, write);
  return {
    0: stream(async () => {}),
    1: stream((chunk) => process.stdout.write(chunk)),
    2: stream((chunk) => process.stderr.write(chunk)),
  };
}
