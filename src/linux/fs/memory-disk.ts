import { posix } from 'node:path';
import type { Account } from '../../base/input/account.js';
import { RESOLV_CONF } from './etc-files.js';
import { FileError } from './file-error.js';
import type { FileSystem } from './file-system.js';
import { directory, file, type ImageDirectory } from './image-tree.js';
import { Layer, type LayerLimits } from './layer/layer.js';
import type { LogFile } from './log-file.js';
import { makeDirectory } from './mounts.js';
import type { LogPace, NodeDisk, Place } from './node-disk.js';
import { ProcessFiles } from './process-files.js';
import { type NewNode, ROOT, type Vnode } from './vnode.js';
import { MountTable, Walker } from './walker.js';

const MIB = 1024 * 1024;

/** Limits of all volumes and logs of a node; beyond them, ENOSPC. */
const LIMITS: LayerLimits = { bytes: 256 * MIB, files: 100_000 };

/** Files take whole blocks of this many bytes on the disk. */
const BLOCK = 4096;

/** Size of a log at which its older half is removed. */
const MOST_LOG = 64 * 1024;

const NODE: ImageDirectory = directory({
  etc: directory({
    hosts: file('127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n'),
    'machine-id': file(`${'0123456789abcdef'.repeat(2)}\n`),
    'os-release': file('NAME="Mockri simulated Linux"\nID=mockri\nVERSION_ID="1"\n'),
    'resolv.conf': file(RESOLV_CONF),
  }),
});

/** A node's disk in memory. A simulation's kubelet and runtime share one: containers find the kubelet's files. */
export class MemoryDisk implements NodeDisk {
  /** The disk as root sees it. */
  readonly files: FileSystem;
  /** The rate of a slow disk, so that a container that prints without end doesn't make a simulation endless. */
  readonly logPace: LogPace = { atOnce: 64 * MIB, aSecond: 4 * MIB };
  readonly #walker: Walker;

  private constructor(root: Vnode) {
    const mount = { isReadonly: false, hasPermissions: true, type: 'ext4', source: '/dev/mockri' };
    const walker = new Walker({ path: '/', node: root, ...mount }, new MountTable());
    this.#walker = walker;
    this.files = new ProcessFiles({ walker: async () => walker, forbids: () => false }, ROOT);
  }

  /** `now` is in Unix nanoseconds; `account` pays for the content. */
  static ofNode(now: () => bigint, account: Account): MemoryDisk {
    return new MemoryDisk(new Layer(now, LIMITS, account).open(NODE));
  }

  find(path: string): Promise<Place> {
    return this.make(path, DIRECTORY);
  }

  /** Resolves a path; creates missing parts, with their directories. */
  async make(path: string, what: NewNode): Promise<Place> {
    const direct = await this.#makeDirect(path, what);
    if (direct !== undefined) return placeOf(posix.normalize(path), direct);
    if (what.kind === 'directory') await makeDirectory(this.#walker, path);
    const { place } = await this.#walker.walk(path, ROOT, 'always');
    if (place === undefined) throw new FileError('ENOENT');
    return placeOf(place.path, place.node);
  }

  /** A disk with the contents of a directory; neither links nor `..` lead out of it. */
  async below(path: string): Promise<MemoryDisk> {
    return new MemoryDisk(await (await this.find(path)).node());
  }

  /** Removes a file, or a directory with its contents; does nothing for a missing one. */
  async remove(path: string): Promise<void> {
    const target = await this.#walker.walk(path, ROOT, 'never').catch(() => undefined);
    if (target?.place !== undefined) await removeTree(target.dir.node, target.name, target.place.node);
  }

  /** Bytes of a file, or of a directory with its contents, as du counts them; 0 for a missing one. */
  async usage(path: string): Promise<bigint> {
    const target = await this.#walker.walk(path, ROOT, 'never').catch(() => undefined);
    return target?.place === undefined ? 0n : treeSize(target.place.node);
  }

  async makeLog(path: string): Promise<void> {
    await this.make(path, LOG);
  }

  async openLog(path: string): Promise<LogFile> {
    const node = await (await this.make(path, LOG)).node();
    return { appendFile: (chunk) => appendToLog(node, chunk), close: async () => {} };
  }

  /** Resolves a path without links, and creates missing parts; undefined for one with a link. */
  async #makeDirect(path: string, what: NewNode): Promise<Vnode | undefined> {
    let { node } = this.#walker.root;
    const names = posix
      .normalize(path)
      .split('/')
      .filter((name) => name !== '');
    for (const [index, name] of names.entries()) {
      if (node.kind !== 'directory') throw new FileError('ENOTDIR');
      const made = index === names.length - 1 ? what : DIRECTORY;
      node = (await node.lookup(name, ROOT)) ?? (await node.make(name, made));
      if (node.kind === 'symlink') return undefined;
    }
    return node;
  }
}

const DIRECTORY: NewNode = { kind: 'directory', mode: 0o755, uid: 0, gid: 0 };
const LOG: NewNode = { kind: 'file', mode: 0o640, uid: 0, gid: 0 };

const placeOf = (path: string, node: Vnode): Place => ({
  path,
  hasPermissions: true,
  node: async () => node,
  mountsBelow: async () => [],
});

async function treeSize(node: Vnode): Promise<bigint> {
  const { size } = await node.stat();
  if (node.kind !== 'directory') return BigInt(Math.ceil(size / BLOCK) * BLOCK);
  let bytes = BigInt(BLOCK);
  for (const name of await node.list()) {
    const child = await node.lookup(name, ROOT);
    if (child !== undefined) bytes += await treeSize(child);
  }
  return bytes;
}

async function removeTree(parent: Vnode, name: string, node: Vnode): Promise<void> {
  if (node.kind === 'directory')
    for (const child of await node.list()) {
      const below = await node.lookup(child, ROOT);
      if (below !== undefined) await removeTree(node, child, below);
    }
  await parent.remove(name);
}

/** Keeps only the end of a long log, from the beginning of a line. */
async function appendToLog(node: Vnode, chunk: Buffer): Promise<void> {
  const file = await node.open('append');
  const { size } = await node.stat();
  if (size + chunk.length <= MOST_LOG) {
    await file.write(chunk, 'end');
    return;
  }
  const whole = Buffer.concat([Buffer.from(await file.read(0, size)), chunk]);
  const rest = whole.subarray(-MOST_LOG / 2);
  await node.change({ size: 0 });
  await file.write(rest.subarray(rest.indexOf('\n') + 1), 'end');
}
