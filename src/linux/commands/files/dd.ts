import type { OpenFile } from '../../fs/file-system.js';
import type { ByteSource } from '../../process/process.js';
import { saying } from '../kit/paths.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { humanSize } from './human.js';

interface Plan {
  readonly input: string | undefined;
  readonly output: string | undefined;
  readonly block: number;
  readonly count: number;
  readonly skip: number;
  readonly seek: number;
  readonly isKept: boolean;
  readonly status: string;
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  c: 1,
  w: 2,
  b: 512,
  k: 1024,
  K: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
  kB: 1000,
  MB: 1e6,
  GB: 1e9,
};

function sizeOf(text: string): number {
  const match = /^(\d+)([a-zA-Z]*)$/.exec(text);
  const unit = UNITS[match?.[2] ?? ''];
  if (!match || unit === undefined) throw new ToolError(`invalid number '${text}'`);
  return Number(match[1]) * unit;
}

function planOf(args: readonly string[]): Plan {
  const given = new Map<string, string>();
  for (const word of args) {
    const [, key = '', value = ''] =
      /^(if|of|bs|ibs|obs|count|skip|seek|conv|status|iflag|oflag)=(.*)$/s.exec(word) ?? [];
    if (key === '') throw new ToolError(`invalid argument '${word}'`);
    given.set(key, value);
  }
  const size = (key: string, fallback: number) =>
    given.has(key) ? sizeOf(given.get(key) as string) : fallback;
  return {
    input: given.get('if'),
    output: given.get('of'),
    block: size('bs', size('ibs', 512)),
    count: size('count', Number.POSITIVE_INFINITY),
    skip: size('skip', 0),
    seek: size('seek', 0),
    isKept: given.get('conv')?.split(',').includes('notrunc') ?? false,
    status: given.get('status') ?? '',
  };
}

type Reader = (length: number) => Promise<Buffer>;

/** A read of a pipe returns the available bytes; excess bytes wait for the next read. */
function readerOf(source: ByteSource): Reader {
  let rest: Buffer = Buffer.alloc(0);
  return async (length) => {
    if (rest.length === 0) rest = (await source.read()) ?? rest;
    const part = rest.subarray(0, length);
    rest = rest.subarray(length);
    return part;
  };
}

/** A file returns a whole block if it has one: a device may return less than requested. */
function fileReader(file: OpenFile): Reader {
  return async (length) => {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; ) {
      const part = await file.read(left);
      if (part.length === 0) break;
      parts.push(part);
      left -= part.length;
    }
    return Buffer.concat(parts);
  };
}

const dd = command({ isRaw: true }, async (tool) => {
  const plan = planOf(tool.args);
  // A block that doesn't fit into the container's memory kills it: critest provokes OOMKilled this way.
  tool.process.allocate(plan.block);
  const { fs, stdin, stdout, clock } = tool.process;
  const cantOpen = (path: string) => saying((problem) => `can't open '${path}': ${problem}`);
  const input =
    plan.input === undefined ? undefined : await fs.open(plan.input, 'r').catch(cantOpen(plan.input));
  const output =
    plan.output === undefined
      ? undefined
      : await openOutput(tool, plan, plan.output).catch(cantOpen(plan.output));
  const startedAt = clock.elapsed();
  const done = { whole: 0, partial: 0, bytes: 0 };
  try {
    const read = input ? fileReader(input) : readerOf(stdin);
    for (let block = 0; block < plan.skip; block++) if ((await read(plan.block)).length === 0) break;
    if (output && plan.seek > 0) await output.read(0, plan.seek * plan.block);
    while (done.whole + done.partial < plan.count) {
      const chunk = await read(plan.block);
      if (chunk.length === 0) break;
      await (output ? output.write(chunk) : stdout.write(chunk)).catch(
        saying((problem) => `error writing '${plan.output}': ${problem}`),
      );
      if (chunk.length === plan.block) done.whole++;
      else done.partial++;
      done.bytes += chunk.length;
    }
  } finally {
    await input?.close();
    await output?.close();
  }
  await report(tool, plan, done, (clock.elapsed() - startedAt) / 1000);
});

async function openOutput(
  { process: { fs } }: Tool,
  { isKept, seek, block }: Plan,
  path: string,
): Promise<OpenFile> {
  // Truncates at the start of the output, unless conv=notrunc keeps the content.
  if (!isKept && seek === 0) return fs.open(path, 'w');
  await (await fs.open(path, 'a')).close();
  if (!isKept) await fs.truncate(path, seek * block);
  return fs.open(path, 'r+');
}

async function report(
  { process: { stderr } }: Tool,
  { status }: Plan,
  { whole, partial, bytes }: { whole: number; partial: number; bytes: number },
  seconds: number,
): Promise<void> {
  if (status === 'none') return;
  const records = `${whole}+${partial} records in\n${whole}+${partial} records out\n`;
  const rate = humanSize(Math.round(bytes / Math.max(seconds, 0.000001)));
  const transfer = `${bytes} bytes (${humanSize(bytes)}B) copied, ${seconds.toFixed(6)} seconds, ${rate}B/s\n`;
  await stderr.write(Buffer.from(status === 'noxfer' ? records : records + transfer));
}

export const ddCommands: CommandTable = { dd };
