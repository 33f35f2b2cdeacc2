import { CALL_COST } from '../process/process-streams.js';
import { FileError } from './file-error.js';
import type { FileStat, FileUser } from './file-stat.js';
import type { OpenFile } from './file-system.js';
import type { RawFile } from './vnode.js';
import type { TreePosition } from './walker.js';

export class Cursor implements OpenFile {
  readonly #raw: RawFile;
  readonly #place: TreePosition;
  readonly #appends: boolean;
  #owner: FileUser | undefined;
  #position = 0;
  #closing: Promise<void> | undefined;

  /** The process `owner` pays for reads and writes, and closes it at its end. */
  constructor(raw: RawFile, place: TreePosition, appends: boolean, owner: FileUser) {
    this.#raw = raw;
    this.#place = place;
    this.#appends = appends;
    this.#owner = owner;
    owner.hold?.(this);
  }

  async read(length: number, position = this.#position): Promise<Buffer> {
    const chunk = await this.#raw.read(position, length);
    this.#position = position + chunk.length;
    await this.#owner?.work?.(CALL_COST + chunk.length);
    return chunk;
  }

  async write(chunk: Buffer, position = this.#position): Promise<void> {
    await this.#owner?.work?.(CALL_COST + chunk.length);
    this.#position = await this.#raw.write(chunk, this.#appends ? 'end' : position);
  }

  stat(): Promise<FileStat> {
    return this.#place.node.stat();
  }

  share(): void {
    this.#owner?.release?.(this);
    this.#owner = undefined;
  }

  close(): Promise<void> {
    this.#owner?.release?.(this);
    this.#closing ??= this.#raw.close();
    return this.#closing;
  }
}

/** Maximum size of readFile, in bytes: enough for settings and scripts. Larger data is read piece by piece. */
const READ_LIMIT = 1024 * 1024;
const CHUNK = 64 * 1024;

export async function readToEnd(file: OpenFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (let chunk = await file.read(CHUNK); chunk.length > 0; chunk = await file.read(CHUNK)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > READ_LIMIT) throw new FileError('EIO', 'File too large to read at once (limit 1 MiB)');
  }
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}
