import {
  padding,
  readTarHeader,
  TAR_BLOCK,
  tarHeader,
} from '../../../src/linux/commands/files/tar-header.js';

export type Members = Readonly<Record<string, string>>;

/** A tar archive of text files that only their owner may read. */
export function packArchive(members: Members): Buffer {
  const file = { kind: 'file', mode: 0o600, uid: 0, gid: 0, modifiedAt: 0n, inode: 0, links: 1 } as const;
  const parts = Object.entries(members).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const header = tarHeader(name, { ...file, size: content.length }, '');
    return [header, content, ...(content.length % TAR_BLOCK === 0 ? [] : [padding(content.length)])];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * TAR_BLOCK)]);
}

/** Undefined if there is none, or if it isn't an archive. */
export function memberOf(archive: Buffer, name: string): string | undefined {
  for (let at = 0; at + TAR_BLOCK <= archive.length; ) {
    const header = readTarHeader(archive.subarray(at, at + TAR_BLOCK));
    if (header === undefined) return undefined;
    const { size } = header.entry;
    at += TAR_BLOCK;
    if (header.entry.name === name) return archive.toString('utf8', at, at + size);
    at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return undefined;
}
