import type { FileStat } from '../../fs/file-stat.js';

export interface TarEntry extends Pick<FileStat, 'mode' | 'uid' | 'gid' | 'size'> {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'link' | 'other';
  /** Unix seconds. */
  readonly modifiedAt: number;
  readonly target: string;
}

/** Headers and contents fill blocks of this many bytes. */
export const TAR_BLOCK = 512;

const TYPES: Readonly<Record<string, TarEntry['kind']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
};

/** Header of a member whose name is too long for a header (GNU tar). */
const LONG_NAME = { name: '././@LongLink', mode: 0o644, uid: 0, gid: 0, modifiedAt: 0, target: '' };

/** The header of a file, link or directory in the format ustar (POSIX.1-1988), with GNU's extension for long names. */
export function tarHeader(name: string, stat: FileStat, target: string): Buffer {
  const type = stat.kind === 'directory' ? '5' : stat.kind === 'symlink' ? '2' : '0';
  const size = stat.kind === 'file' ? stat.size : 0;
  const { mode, uid, gid } = stat;
  const modifiedAt = Number(stat.modifiedAt / 1_000_000_000n);
  const own = block({ name, mode, uid, gid, size, modifiedAt, target }, type);
  return Buffer.concat([...long(name, 'L'), ...long(target, 'K'), own]);
}

function long(text: string, type: string): Buffer[] {
  const bytes = Buffer.from(`${text}\0`);
  if (bytes.length <= 101) return [];
  return [block({ ...LONG_NAME, size: bytes.length }, type), bytes, padding(bytes.length)];
}

/** Fills the last block of `size` bytes. */
export const padding = (size: number): Buffer => Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);

function block(entry: Omit<TarEntry, 'kind'>, type: string): Buffer {
  const bytes = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at);
  Buffer.from(entry.name).copy(bytes, 0, 0, 100);
  octal(entry.mode, 100, 8);
  octal(entry.uid, 108, 8);
  octal(entry.gid, 116, 8);
  octal(entry.size, 124, 12);
  octal(entry.modifiedAt, 136, 12);
  bytes.write(type, 156);
  Buffer.from(entry.target).copy(bytes, 157, 0, 100);
  bytes.write('ustar  \0', 257);
  bytes.write(`${checksum(bytes).toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}

/** Adds up a header's bytes; those of the sum itself count as blanks. */
function checksum(bytes: Buffer): number {
  let sum = 8 * 0x20;
  for (let at = 0; at < TAR_BLOCK; at++) if (at < 148 || at >= 156) sum += bytes[at] ?? 0;
  return sum;
}

/** Returns the header and the letter of its type; undefined if it isn't a header. */
export function readTarHeader(
  bytes: Buffer,
): { readonly entry: TarEntry; readonly type: string } | undefined {
  if (octalAt(bytes, 148, 8) !== checksum(bytes)) return undefined;
  const type = bytes.toString('latin1', 156, 157);
  // GNU tar has other fields instead of the prefix.
  const prefix = bytes.toString('latin1', 257, 263) === 'ustar\0' ? textAt(bytes, 345, 155) : '';
  const name = textAt(bytes, 0, 100);
  const entry = {
    name: prefix === '' ? name : `${prefix}/${name}`,
    kind: TYPES[type] ?? 'other',
    mode: octalAt(bytes, 100, 8) & 0o7777,
    uid: octalAt(bytes, 108, 8),
    gid: octalAt(bytes, 116, 8),
    size: octalAt(bytes, 124, 12),
    modifiedAt: octalAt(bytes, 136, 12),
    target: textAt(bytes, 157, 100),
  };
  return { entry, type };
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

function octalAt(bytes: Buffer, at: number, length: number): number {
  return Number.parseInt(textAt(bytes, at, length).trim(), 8) || 0;
}

/** Parses the records of a pax header: `27 path=a/long/name\n` (POSIX.1-2001). */
export function paxRecords(content: Buffer): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const length = Number.parseInt(content.toString('latin1', at, at + 20), 10);
    if (!(length > 0)) break;
    const record = content.toString('utf8', content.indexOf(' ', at) + 1, at + length - 1);
    const equals = record.indexOf('=');
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}
