import { FileError } from './file-error.js';
import type { FileUser } from './file-stat.js';
import { mayAccess } from './permissions.js';
import type { Vnode } from './vnode.js';

export interface Mount {
  /** Without links. */
  readonly path: string;
  readonly node: Vnode;
  readonly isReadonly: boolean;
  /** Whether modes and owners determine access: not on the host's files. */
  readonly hasPermissions: boolean;
  /** File system type and source, as /proc/mounts shows them. */
  readonly type: string;
  readonly source: string;
}

export interface MountPoint {
  mount: Mount | undefined;
  readonly below: Map<string, MountPoint>;
}

export class MountTable {
  readonly root: MountPoint = { mount: undefined, below: new Map() };
  readonly #mounts = new Map<string, Mount>();

  /** Mounts at a path without links, over existing files. */
  set(path: string, mount: Mount): void {
    this.#mounts.set(path, mount);
    let point = this.root;
    for (const name of partsOf(path).reverse()) {
      const next = point.below.get(name) ?? { mount: undefined, below: new Map() };
      point.below.set(name, next);
      point = next;
    }
    point.mount = mount;
  }

  values(): Iterable<Mount> {
    return this.#mounts.values();
  }
}

/** A position in the tree of files, free of links: `..` leads to its parent. */
export class TreePosition {
  readonly name: string;
  readonly node: Vnode;
  readonly mount: Mount;
  readonly parent: TreePosition | undefined;
  /** The mounts from here on: another container's below a link of /proc. */
  readonly walker: Walker;
  /** Undefined if there is no mount here or below. */
  readonly point: MountPoint | undefined;

  constructor(from: Walker | TreePosition, name: string, node: Vnode, mount: Mount, point?: MountPoint) {
    this.name = name;
    this.node = node;
    this.mount = mount;
    this.parent = from instanceof TreePosition ? from : undefined;
    this.walker = from instanceof TreePosition ? from.walker : from;
    this.point = point;
  }

  /** Made on demand: a walk must not take quadratic time. */
  get path(): string {
    const names: string[] = [];
    for (let at: TreePosition = this; at.parent !== undefined; at = at.parent) names.push(at.name);
    return `/${names.reverse().join('/')}`;
  }
}

export interface Target {
  readonly dir: TreePosition;
  /** The last component; `.`, `..` or `/` if the path doesn't end in a name. */
  readonly name: string;
  readonly place: TreePosition | undefined;
  readonly hasSlash: boolean;
}

/**
 * Whether to follow a link at the end; with `slash`, if a slash comes after it. `write` and `make` are `always` and
 * `never` for open(2) with O_CREAT: the name of a new file must not look like a directory.
 */
export type Follow = 'always' | 'slash' | 'never' | 'write' | 'make';

/** Linux' limits: PATH_MAX, NAME_MAX, MAXSYMLINKS. */
export const MAX_PATH = 4096;
const MAX_NAME = 255;
const MAX_LINKS = 40;

/** Walks paths as in path_resolution(7), across links and mounts; only links of /proc lead out of `root`. */
export class Walker {
  readonly root: TreePosition;
  readonly #mounts: MountTable;

  constructor(root: Mount, mounts: MountTable) {
    this.root = new TreePosition(this, '', root.node, root, mounts.root);
    this.#mounts = mounts;
  }

  async walk(path: string, who: FileUser, follow: Follow): Promise<Target> {
    if (path === '' || path.includes('\0')) throw new FileError('ENOENT');
    if (Buffer.byteLength(path) >= MAX_PATH) throw new FileError('ENAMETOOLONG');
    const todo = path.startsWith('/') ? partsOf(path) : [...partsOf(path), ...partsOf(who.cwd)];
    const state = { todo, hasSlash: path.endsWith('/'), links: 0 };
    let here = this.root;
    let end: Target = { dir: here, name: '/', place: here, hasSlash: true };
    for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
      const entering = enter(here, who);
      if (entering) await entering;
      const isLast = todo.length === 0;
      const isCreating = follow === 'write' || follow === 'make';
      if (isLast && isCreating && state.hasSlash && !isDots(name)) throw new FileError('EISDIR');
      const step = here.walker.#step(here, name, who);
      const next = step instanceof Promise ? await step : step;
      const follows =
        !isLast || follow === 'always' || follow === 'write' || (follow === 'slash' && state.hasSlash);
      if (next?.node.kind === 'symlink' && follows) {
        here = await this.#followLink(here, next, state, who);
        end = { dir: here, name: '/', place: here, hasSlash: true };
        continue;
      }
      if (isLast) return finish({ dir: here, name, place: next, hasSlash: state.hasSlash }, follow);
      if (next === undefined) throw new FileError('ENOENT');
      here = next;
      end = { dir: here, name: '/', place: here, hasSlash: true };
    }
    return end;
  }

  mountTable(): string {
    return [this.root.mount, ...this.#mounts.values()].map(mountLine).join('');
  }

  /** Synchronous if the host isn't involved. */
  #step(
    here: TreePosition,
    name: string,
    who: FileUser,
  ): TreePosition | undefined | Promise<TreePosition | undefined> {
    if (name === '.') return here;
    if (name === '..') return here.parent ?? here;
    if (Buffer.byteLength(name) > MAX_NAME) throw new FileError('ENAMETOOLONG');
    const point = here.point?.below.get(name);
    const position = (node: Vnode | undefined) =>
      node && new TreePosition(here, name, node, point?.mount ?? here.mount, point);
    const node = point?.mount?.node ?? here.node.lookup(name, who);
    return node instanceof Promise ? node.then(position) : position(node);
  }

  async #followLink(
    here: TreePosition,
    link: TreePosition,
    state: { todo: string[]; hasSlash: boolean; links: number },
    who: FileUser,
  ): Promise<TreePosition> {
    if (++state.links > MAX_LINKS) throw new FileError('ELOOP');
    const target = await link.node.readlink(who);
    if (target === '') throw new FileError('ENOENT');
    if (state.todo.length === 0 && target.endsWith('/')) state.hasSlash = true;
    state.todo.push(...partsOf(target));
    if (!target.startsWith('/')) return here;
    return (await link.node.linkRoot?.()) ?? this.root;
  }
}

const mountLine = ({ source, path, type, isReadonly }: Mount): string =>
  `${source} ${path} ${type} ${isReadonly ? 'ro' : 'rw'},relatime 0 0\n`;

const isDots = (name: string): boolean => name === '.' || name === '..';

const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .reverse();

/** Undefined if no check has to wait. */
function enter({ node, mount }: TreePosition, who: FileUser): Promise<void> | undefined {
  if (node.kind !== 'directory') throw new FileError('ENOTDIR');
  if (who.user.uid === 0 || !mount.hasPermissions) return undefined;
  return node.stat().then((stat) => {
    if (!mayAccess(stat, who, 'execute')) throw new FileError('EACCES');
  });
}

function finish(target: Target, follow: Follow): Target {
  const isOther = target.place && target.place.node.kind !== 'directory';
  if (follow !== 'never' && follow !== 'make' && target.hasSlash && isOther) throw new FileError('ENOTDIR');
  return target;
}
