import { chunksOf } from '../kit/input.js';
import { dirOf, joined, saying, statIfAny } from '../kit/paths.js';
import { command, eachOperand, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { padding, paxRecords, readTarHeader, TAR_BLOCK, type TarEntry, tarHeader } from './tar-header.js';

const CHUNK = 64 * 1024;
/** Maximum bytes of an extended header: more than names need. */
const MAX_EXTENSION = 64 * 1024;

const LONG = {
  'no-same-permissions': 'Y',
  'no-same-owner': 'o',
  create: 'c',
  extract: 'x',
  list: 't',
  verbose: 'v',
} as const;

/** `kubectl cp` runs it. */
const tar = command(
  {
    letters: 'cxtvf:C:mpoYO',
    long: LONG,
    rewrite: (word, index) => (index === 0 && !word.startsWith('-') ? `-${word}` : word),
  },
  async (tool) => {
    const modes = ['c', 'x', 't'].filter((flag) => tool.has(flag));
    if (modes.length !== 1) throw usage('must specify one of c, x and t');
    await (tool.has('c') ? create(tool) : unpack(tool));
  },
);

const inDirectory = (tool: Tool, path: string): string => {
  const directory = tool.options.value('C');
  return directory === undefined || path.startsWith('/') ? path : joined(directory, path);
};

async function create(tool: Tool): Promise<void> {
  const { fs } = tool.process;
  if (tool.operands.length === 0) throw new ToolError('empty archive');
  const archive = tool.options.value('f') ?? '-';
  const output = archive === '-' ? undefined : await fs.open(archive, 'w');
  const put = (bytes: Buffer) => (output === undefined ? tool.print(bytes) : output.write(bytes));
  let hasRoot = false;
  const add = async (path: string): Promise<void> => {
    const name = path.replace(/^\/+/, '');
    if (name !== path && !hasRoot) {
      hasRoot = true;
      await tool.process.stderr.write(Buffer.from("tar: removing leading '/' from member names\n"));
    }
    const place = inDirectory(tool, path);
    const stat = await fs.lstat(place);
    if (!['file', 'directory', 'symlink'].includes(stat.kind)) return;
    if (tool.has('v')) await tool.process.stderr.write(Buffer.from(`${name}\n`));
    const isDirectory = stat.kind === 'directory';
    const target = stat.kind === 'symlink' ? await fs.readlink(place) : '';
    await put(tarHeader(isDirectory ? joined(name, '') : name, stat, target));
    if (stat.kind === 'file') await content(place, stat.size);
    if (isDirectory) for (const entry of await fs.readdir(place)) await add(joined(path, entry));
  };
  /** Exactly as many bytes as the header announced, even if the file grows or shrinks meanwhile. */
  const content = async (place: string, size: number): Promise<void> => {
    const file = await fs.open(place, 'r');
    try {
      for (let left = size; left > 0; ) {
        const chunk = await file.read(Math.min(CHUNK, left));
        const bytes = chunk.length === 0 ? Buffer.alloc(Math.min(CHUNK, left)) : chunk;
        await put(bytes);
        left -= bytes.length;
      }
      await put(padding(size));
    } finally {
      await file.close();
    }
  };
  try {
    await eachOperand(tool, tool.operands, add);
    await put(Buffer.alloc(2 * TAR_BLOCK));
  } finally {
    await output?.close();
  }
}

/** Returns the archive's bytes in the requested lengths. */
function createReader(chunks: AsyncIterator<Buffer>) {
  let rest: Buffer = Buffer.alloc(0);
  /** At most `length` bytes; empty at the end. */
  const some = async (length: number): Promise<Buffer> => {
    if (rest.length === 0) rest = (await chunks.next()).value ?? Buffer.alloc(0);
    const part = rest.subarray(0, length);
    rest = rest.subarray(part.length);
    return part;
  };
  /** Passes on `length` bytes. Rejects when the archive ends early. */
  const pass = async (length: number, take: (part: Buffer) => Promise<void>): Promise<void> => {
    for (let left = length; left > 0; ) {
      const part = await some(left);
      if (part.length === 0) throw new ToolError('short read');
      await take(part);
      left -= part.length;
    }
  };
  const all = async (length: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    await pass(length, async (part) => void parts.push(part));
    return Buffer.concat(parts);
  };
  return { some, pass, all };
}

type Reader = ReturnType<typeof createReader>;

async function* entriesOf(reader: Reader): AsyncGenerator<TarEntry> {
  let given: { name?: string; target?: string; size?: number } = {};
  for (;;) {
    const first = await reader.some(TAR_BLOCK);
    if (first.length === 0) return;
    const bytes = Buffer.concat([first, await reader.all(TAR_BLOCK - first.length)]);
    if (bytes.every((byte) => byte === 0)) return;
    const header = readTarHeader(bytes);
    if (header === undefined) throw new ToolError('invalid tar magic');
    const { entry, type } = header;
    if (!['L', 'K', 'x', 'g'].includes(type)) {
      const whole = { ...entry, ...given };
      given = {};
      yield whole;
      continue;
    }
    if (entry.size > MAX_EXTENSION) throw new ToolError('a header is too long');
    const extension = await reader.all(entry.size);
    await reader.all(padding(entry.size).length);
    const text = extension.toString().replace(/\0.*$/s, '');
    if (type === 'L') given.name = text;
    if (type === 'K') given.target = text;
    if (type !== 'x') continue;
    const records = paxRecords(extension);
    const [name, target, size] = ['path', 'linkpath', 'size'].map((key) => records.get(key));
    given = {
      ...given,
      ...(name !== undefined && { name }),
      ...(target !== undefined && { target }),
      ...(size !== undefined && { size: Number(size) }),
    };
  }
}

async function unpack(tool: Tool): Promise<void> {
  const reader = createReader(chunksOf(tool, tool.options.value('f') ?? '-'));
  const wanted = tool.operands.map((path) => path.replace(/\/+$/, ''));
  for await (const entry of entriesOf(reader)) {
    const name = entry.name.replace(/^\/+/, '').replace(/\/+$/, '');
    if (name.split('/').includes('..')) throw new ToolError(`name with '..': '${entry.name}'`);
    const size = entry.kind === 'file' ? entry.size : 0;
    const isWanted =
      wanted.length === 0 || wanted.some((path) => name === path || name.startsWith(`${path}/`));
    if (isWanted && (tool.has('v') || tool.has('t'))) await tool.print(`${entry.name}\n`);
    if (isWanted && tool.has('x') && name !== '') await extract(tool, { ...entry, name }, reader);
    else await reader.pass(size, async () => {});
    await reader.all(padding(size).length);
  }
}

async function extract(tool: Tool, entry: TarEntry, reader: Reader): Promise<void> {
  const { fs } = tool.process;
  const { kind, mode, size, target } = entry;
  if (kind === 'file' && tool.has('O')) return reader.pass(size, (part) => tool.print(part));
  const path = inDirectory(tool, entry.name);
  await makeDirectories(tool, dirOf(path));
  const cant = saying((problem) => `can't open '${entry.name}': ${problem}`);
  if (kind === 'directory') await makeDirectories(tool, path);
  else if (kind === 'other') return;
  else {
    if ((await statIfAny(tool, path, false)) !== undefined) await fs.unlink(path).catch(cant);
    if (kind === 'symlink') return fs.symlink(target, path).catch(cant);
    if (kind === 'link') return fs.link(inDirectory(tool, target), path).catch(cant);
    const file = await fs.open(path, 'w', mode & 0o777).catch(cant);
    try {
      await reader.pass(size, (part) => file.write(part));
    } finally {
      await file.close();
    }
  }
  // Only root sets owners and all mode bits.
  if (tool.process.user.uid === 0 && !tool.has('o'))
    await fs.chown(path, entry.uid, entry.gid).catch(() => {});
  if (!tool.has('Y')) await fs.chmod(path, mode);
  if (!tool.has('m')) await fs.utimes(path, BigInt(entry.modifiedAt) * 1_000_000_000n);
}

async function makeDirectories(tool: Tool, path: string): Promise<void> {
  if ((await statIfAny(tool, path, true))?.kind === 'directory') return;
  if (dirOf(path) !== path) await makeDirectories(tool, dirOf(path));
  await tool.process.fs
    .mkdir(path)
    .catch(saying((problem) => `can't create directory '${path}': ${problem}`));
}

export const tarCommands: CommandTable = { tar };
