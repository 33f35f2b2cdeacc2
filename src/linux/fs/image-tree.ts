export type ImageNode = ImageFile | ImageDirectory | ImageLink | ImageDevice;

/** `mode` is the permission bits, `owner` the uid and the gid. */
export interface ImageFile {
  readonly kind: 'file';
  readonly data: Buffer;
  readonly mode: number;
  readonly owner: number;
}

export interface ImageDirectory {
  readonly kind: 'directory';
  readonly entries: ReadonlyMap<string, ImageNode>;
  readonly mode: number;
  readonly owner: number;
}

/** `target` is unchanged, relative or not. */
export interface ImageLink {
  readonly kind: 'symlink';
  readonly target: string;
  readonly mode: number;
  readonly owner: number;
}

/** A kernel device of this name. */
export interface ImageDevice {
  readonly kind: 'device';
  readonly device: string;
  readonly mode: number;
  readonly owner: number;
}

/** Owned by root, readable by all. */
export const file = (content: string | Buffer, mode = 0o644): ImageFile => ({
  kind: 'file',
  data: typeof content === 'string' ? ownBytes(content) : content,
  mode,
  owner: 0,
});

/** In a separate allocation: a piece of Node's shared pool would keep all of the pool's 8 KiB. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

export const link = (target: string): ImageLink => ({ kind: 'symlink', target, mode: 0o777, owner: 0 });

/** Owned by root with access for all users, like the devices of a container. */
export const device = (name: string): ImageDevice => ({
  kind: 'device',
  device: name,
  mode: 0o666,
  owner: 0,
});

/** Readable by all users, by default owned by root. */
export const directory = (
  entries: Readonly<Record<string, ImageNode>> = {},
  mode = 0o755,
  owner = 0,
): ImageDirectory => ({ kind: 'directory', entries: new Map(Object.entries(entries)), mode, owner });

/** Returns the tree with a node at an absolute path; creates missing directories. */
export function put(tree: ImageDirectory, path: string, node: ImageNode): ImageDirectory {
  const [name = '', ...rest] = path.split('/').filter((part) => part !== '');
  const below = tree.entries.get(name);
  const inner = below?.kind === 'directory' ? below : directory();
  const entry = rest.length === 0 ? node : put(inner, rest.join('/'), node);
  return { ...tree, entries: new Map(tree.entries).set(name, entry) };
}

/** Finds a path of an image without following links; undefined if nothing exists there. */
export function lookupImage(tree: ImageDirectory, path: string): ImageNode | undefined {
  let node: ImageNode | undefined = tree;
  for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
    node = node?.kind === 'directory' ? node.entries.get(name) : undefined;
  }
  return node;
}

const MARK = '\x7fELF\x02\x01\x01mockri program ';

export const executable = (program: string): ImageFile =>
  file(Buffer.from(`${MARK}${program}\n`, 'latin1'), 0o755);

/** The program that an executable file runs; undefined for other files. */
export function programOf(data: Buffer): string | undefined {
  const text = data.toString('latin1', 0, 256);
  return text.startsWith(MARK) ? text.slice(MARK.length).split('\n', 1)[0] : undefined;
}
