import { FileError } from './file-error.js';
import type { FileStat, FileUser } from './file-stat.js';
import { BareNode, type FileAccess, type FileKind, type RawFile, type Vnode } from './vnode.js';

/** Generated files have no own inodes; a directory listing shows this one. */
const INODE = 1;

type Look = Pick<FileStat, 'mode' | 'modifiedAt'> & Partial<Pick<FileStat, 'uid' | 'gid'>>;

abstract class GeneratedNode extends BareNode {
  abstract override readonly kind: FileKind;
  readonly #look: Look;

  constructor(look: Look) {
    super();
    this.#look = look;
  }

  override async stat(): Promise<FileStat> {
    const { mode, modifiedAt, uid = 0, gid = 0 } = this.#look;
    const links = this.kind === 'directory' ? 2 : 1;
    return { kind: this.kind, mode, uid, gid, size: 0, modifiedAt, inode: INODE, links };
  }
}

/** A read-only file whose text is generated when it is opened. */
export class TextNode extends GeneratedNode {
  override readonly kind = 'file';
  readonly #text: () => string | Promise<string>;

  constructor(text: () => string | Promise<string>, modifiedAt: bigint, mode = 0o444) {
    super({ mode, modifiedAt });
    this.#text = text;
  }

  override async open(access: FileAccess): Promise<RawFile> {
    if (access !== 'read') throw new FileError('EACCES');
    const data = Buffer.from(await this.#text());
    return {
      read: async (position, length) => data.subarray(position, position + length),
      write: async () => {
        throw new FileError('EINVAL');
      },
      close: async () => {},
    };
  }
}

/** A link whose target may depend on the process that follows it. */
export class GeneratedLink extends GeneratedNode {
  override readonly kind = 'symlink';
  readonly #target: (who: FileUser) => string;

  constructor(target: (who: FileUser) => string, modifiedAt: bigint) {
    super({ mode: 0o777, modifiedAt });
    this.#target = target;
  }

  override async readlink(who: FileUser): Promise<string> {
    return this.#target(who);
  }
}

export type Entries = () => Readonly<Record<string, Vnode>>;

/** A read-only directory of /proc or /sys whose entries are generated on demand. */
export class GeneratedDirectory extends GeneratedNode {
  override readonly kind = 'directory';
  readonly #entries: Entries;

  constructor(entries: Entries, modifiedAt: bigint, mode = 0o555) {
    super({ mode, modifiedAt });
    this.#entries = entries;
  }

  override async lookup(name: string): Promise<Vnode | undefined> {
    const entries = this.#entries();
    return Object.hasOwn(entries, name) ? entries[name] : undefined;
  }

  override async list(): Promise<string[]> {
    return Object.keys(this.#entries());
  }

  override async make(): Promise<Vnode> {
    throw new FileError('ENOENT');
  }
}

/** A device or pipe: reading and writing have no position. */
export class StreamNode extends GeneratedNode {
  override readonly kind: 'device' | 'pipe';
  readonly #read: (length: number) => Promise<Buffer>;
  readonly #write: (chunk: Buffer) => Promise<void>;

  constructor(
    kind: 'device' | 'pipe',
    look: Look,
    read: (length: number) => Promise<Buffer>,
    write: (chunk: Buffer) => Promise<void>,
  ) {
    super(look);
    this.kind = kind;
    this.#read = read;
    this.#write = write;
  }

  override async change(): Promise<void> {}

  override async open(): Promise<RawFile> {
    return {
      read: (_, length) => this.#read(length),
      write: async (chunk) => {
        await this.#write(chunk);
        return 0;
      },
      close: async () => {},
    };
  }
}
