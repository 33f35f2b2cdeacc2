import { constants } from 'node:fs';
import { lstat, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type HostRoot, openBelow, withPinned } from '../../base/host/pinned.js';
import type { KubeletFiles } from './files.js';

const MAX_LOG_MESSAGE = 2048;
const MAX_LOG_LINES = 80;

const { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/** A host path: names below a root, none of which may be a symlink. */
export interface Below {
  readonly root: HostRoot;
  readonly names: readonly string[];
}

type LogFiles = Pick<
  KubeletFiles,
  'logTail' | 'openLog' | 'removeLogs' | 'logSize' | 'rotate' | 'compressRotated'
>;

/** Logs of containers, which a runtime writes to these paths. */
export function createLogFiles(locate: (path: string) => Promise<Below>): LogFiles {
  return {
    logTail: async (logPath) => logMessage(await endOf(locate(logPath), MAX_LOG_MESSAGE * 4).catch(() => '')),
    openLog: async (logPath) => {
      const { root, names } = await locate(logPath);
      return openBelow(root, names, O_RDONLY);
    },
    removeLogs: async (logPath) => {
      if (logPath === '') return;
      await inDirectory(await locate(logPath), async (directory, name) => {
        for (const file of await rotatedFiles(directory, name))
          await rm(join(directory, file), { force: true });
        await rm(join(directory, name), { force: true });
      }).catch(unlessMissing);
    },
    logSize: async (logPath) => {
      const { root, names } = await locate(logPath);
      // The kubelet checks every log every ten seconds. This call only returns the size, because rotation follows no
      // link.
      const found = await lstat(join(root.path, ...names)).catch(() => undefined);
      return found?.size;
    },
    rotate: async (logPath, stamp) => {
      const place = await locate(logPath);
      const move = (turn: (current: string, rotated: string) => Promise<void>) =>
        inDirectory(place, (directory, name) =>
          turn(join(directory, name), join(directory, `${name}.${stamp}`)),
        );
      await move(rename);
      return () => move((current, rotated) => rename(rotated, current));
    },
    compressRotated: async (logPath, keep) => compressRotated(await locate(logPath), keep),
  };
}

/** Runs an operation on a name in a directory. The operation must not follow a symlink. */
const inDirectory = <T>(
  { root, names }: Below,
  use: (directory: string, name: string) => Promise<T>,
): Promise<T> => withPinned(root, names.slice(0, -1), ({ path }) => use(path, names.at(-1) ?? ''));

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The newest rotated file stays uncompressed: the runtime may still write to it. */
async function compressRotated(log: Below, keep: number): Promise<void> {
  await inDirectory(log, async (directory, name) => {
    const files = (await rotatedFiles(directory, name)).sort();
    const extra = Math.max(0, files.length - keep);
    for (const file of files.slice(0, extra)) await rm(join(directory, file), { force: true });
    for (const file of files.slice(extra, -1)) {
      if (file.endsWith('.gz')) continue;
      const beside = (other: string) => [...log.names.slice(0, -1), other];
      const from = await openBelow(log.root, beside(file), O_RDONLY);
      const to = await openBelow(log.root, beside(`${file}.gz`), O_WRONLY | O_CREAT | O_TRUNC, 0o666).catch(
        async (error) => {
          await from.close();
          throw error;
        },
      );
      await pipeline(from.createReadStream(), createGzip(), to.createWriteStream());
      await rm(join(directory, file), { force: true });
    }
  });
}

async function rotatedFiles(directory: string, log: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => name.startsWith(`${log}.`));
}

/** At most so many bytes of the file's end. */
export async function endOf(place: Promise<Below>, bytes: number): Promise<string> {
  const { root, names } = await place;
  const file = await openBelow(root, names, O_RDONLY);
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    await file.read(buffer, 0, length, size - length);
    return buffer.toString();
  } finally {
    await file.close();
  }
}

export function logMessage(log: string): string {
  const lines = log.split('\n').filter((line) => line !== '');
  return lines.slice(-MAX_LOG_LINES).map(textOf).join('').slice(-MAX_LOG_MESSAGE);
}

/** P marks a partial line. */
function textOf(line: string): string {
  const [, , tag, ...words] = line.split(' ');
  return `${words.join(' ')}${tag === 'P' ? '' : '\n'}`;
}
