import { FileError } from './file-error.js';
import type { FileUser } from './file-stat.js';
import { mayAccess } from './permissions.js';
import type { Vnode } from './vnode.js';

/** Something mounted in the container's tree. */
export interface Mount {
  /** Where, without links. */
  readonly path: string;
  readonly node: Vnode;
  readonly isReadonly: boolean;
  /** Whether modes and owners decide who may do what: not on the host's files. */
  readonly hasPermissions: boolean;
  /** File system type and source, as /proc/mounts shows them. */
  readonly type: string;
  readonly source: string;
}

/** A place on the way to mounts: one is here, or below. */
export interface MountPoint {
  mount: Mount | undefined;
  readonly below: Map<string, MountPoint>;
}

/** What is mounted where in a container. */
export class MountTable {
  readonly root: MountPoint = { mount: undefined, below: new Map() };
  readonly #mounts = new Map<string, Mount>();

  /** Mounts at a path without links, over what is there. */
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

/** A position in the tree of files, free of links: its parent is where `..` leads. */
export class TreePosition {
  readonly name: string;
  readonly node: Vnode;
  readonly mount: Mount;
  readonly parent: TreePosition | undefined;
  /** What is mounted where, from here on: another container's below a link of /proc. */
  readonly walker: Walker;
  /** Undefined if nothing is mounted here or below. */
  readonly point: MountPoint | undefined;

  constructor(from: Walker | TreePosition, name: string, node: Vnode, mount: Mount, point?: MountPoint) {
    this.name = name;
    this.node = node;
    this.mount = mount;
    this.parent = from instanceof TreePosition ? from : undefined;
    this.walker = from instanceof TreePosition ? from.walker : from;
    this.point = point;
  }

  /** Made when it is asked for: a walk must not cost the square of its length. */
  get path(): string {
    const names: string[] = [];
    for (let at: TreePosition = this; at.parent !== undefined; at = at.parent) names.push(at.name);
    return `/${names.reverse().join('/')}`;
  }
}

/** Where a path leads. */
export interface Target {
  readonly dir: TreePosition;
  /** The last component; `.`, `..` and `/` where the path doesn't end in a name. */
  readonly name: string;
  readonly place: TreePosition | undefined;
  /** The path says that it is a directory. */
  readonly hasSlash: boolean;
}

/**
 * Whether a link at the end counts as what it points to; with `slash`, if a slash comes after it. `write` and `make`
 * are `always` and `never` for open(2) with O_CREAT: the name of a new file must not look like a directory.
 */
export type Follow = 'always' | 'slash' | 'never' | 'write' | 'make';

/** As Linux limits them: PATH_MAX, NAME_MAX, MAXSYMLINKS. */
export const MAX_PATH = 4096;
const MAX_NAME = 255;
const MAX_LINKS = 40;

/**
 * Walks paths as path_resolution(7) says, across links and mounts; nothing leads out of `root` but the links of
 * processes in /proc.
 */
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

  /** Lines of /proc/PID/mounts. */
  mountTable(): string {
    return [this.root.mount, ...this.#mounts.values()].map(mountLine).join('');
  }

  /** At once where nothing must be asked of the host. */
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

/** The components, last one first. */
const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '')
    .reverse();

/** Undefined where nothing must be asked. */
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
