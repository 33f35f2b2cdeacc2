/** The immutable content of an image, shared by all its containers. */
export type ImageNode = ImageFile | ImageDirectory | ImageLink | ImageDevice;

/** `mode` is the permission bits, `owner` the uid and the gid. */
export interface ImageFile {
  readonly kind: 'file';
  readonly data: Buffer;
  readonly mode: number;
  readonly owner: number;
}

/** A directory of an image. */
export interface ImageDirectory {
  readonly kind: 'directory';
  readonly entries: ReadonlyMap<string, ImageNode>;
  readonly mode: number;
  readonly owner: number;
}

/** A symbolic link; `target` is as it was given, relative or not. */
export interface ImageLink {
  readonly kind: 'symlink';
  readonly target: string;
  readonly mode: number;
  readonly owner: number;
}

/** A device that the kernel offers by this name. */
export interface ImageDevice {
  readonly kind: 'device';
  readonly device: string;
  readonly mode: number;
  readonly owner: number;
}

/** A file of root's, readable by all. */
export const file = (content: string | Buffer, mode = 0o644): ImageFile => ({
  kind: 'file',
  data: typeof content === 'string' ? ownBytes(content) : content,
  mode,
  owner: 0,
});

/** In a separate allocation: a piece of the pool that Node shares out would keep all of the pool's 8 KiB. */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** A symbolic link of root's. */
export const link = (target: string): ImageLink => ({ kind: 'symlink', target, mode: 0o777, owner: 0 });

/** A device of root's that everybody may use, as those of a container are. */
export const device = (name: string): ImageDevice => ({
  kind: 'device',
  device: name,
  mode: 0o666,
  owner: 0,
});

/** A directory that everybody may read, by default root's. */
export const directory = (
  entries: Readonly<Record<string, ImageNode>> = {},
  mode = 0o755,
  owner = 0,
): ImageDirectory => ({ kind: 'directory', entries: new Map(Object.entries(entries)), mode, owner });

/** The same tree with a node put at an absolute path; missing directories are made. */
export function put(tree: ImageDirectory, path: string, node: ImageNode): ImageDirectory {
  const [name = '', ...rest] = path.split('/').filter((part) => part !== '');
  const below = tree.entries.get(name);
  const inner = below?.kind === 'directory' ? below : directory();
  const entry = rest.length === 0 ? node : put(inner, rest.join('/'), node);
  return { ...tree, entries: new Map(tree.entries).set(name, entry) };
}

/** What lies at a path of an image, without following links; undefined if there is nothing. */
export function lookupImage(tree: ImageDirectory, path: string): ImageNode | undefined {
  let node: ImageNode | undefined = tree;
  for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
    node = node?.kind === 'directory' ? node.entries.get(name) : undefined;
  }
  return node;
}

const MARK = '\x7fELF\x02\x01\x01mockri program ';

/** An executable file that runs one of the simulated programs, whatever its path. */
export const executable = (program: string): ImageFile =>
  file(Buffer.from(`${MARK}${program}\n`, 'latin1'), 0o755);

/** The program that an executable file runs; undefined if it is another kind of file. */
export function programOf(data: Buffer): string | undefined {
  const text = data.toString('latin1', 0, 256);
  return text.startsWith(MARK) ? text.slice(MARK.length).split('\n', 1)[0] : undefined;
}
