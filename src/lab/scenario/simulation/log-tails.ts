import type { LogFile } from '../../../linux/fs/log-file.js';
import type { NodeDisk } from '../../../linux/fs/node-disk.js';
import type { EntryOf } from '../../../tape/entries.js';

export type Printed = Required<Pick<EntryOf<'log'>, 'stream' | 'text'>>;

/** Limits: bytes kept of a log, and lines and characters per line shown. */
const MOST_BYTES = 4096;
const MOST_LINES = 10;
const MOST_CHARACTERS = 400;

export interface LogTails {
  within(disk: NodeDisk): NodeDisk;
  of(logPath: string): readonly Printed[];
  forget(logPath: string): void;
}

/** Keeps the tails of container logs until they are removed. */
export function createLogTails(): LogTails {
  const tails = new Map<string, Buffer>();
  const remembered = (path: string, file: LogFile): LogFile => ({
    appendFile: (chunk) => {
      const key = keyOf(path);
      const whole = Buffer.concat([tails.get(key) ?? Buffer.alloc(0), chunk]);
      tails.set(key, whole.length > 2 * MOST_BYTES ? Buffer.from(whole.subarray(-MOST_BYTES)) : whole);
      return file.appendFile(chunk);
    },
    close: () => file.close(),
  });
  return {
    within: (disk) => ({
      find: (path, isWritable) => disk.find(path, isWritable),
      makeLog: (path) => disk.makeLog(path),
      openLog: async (path) => remembered(path, await disk.openLog(path)),
      logPace: disk.logPace,
    }),
    of: (path) => linesOf(tails.get(keyOf(path))?.toString() ?? ''),
    forget: (path) => tails.delete(keyOf(path)),
  };
}

/** Pod, container and attempt: a program has its logs below its directory. */
const keyOf = (path: string): string => path.split('/').slice(-3).join('/');

/** Lines of a CRI log; joins partial lines (tag P). */
function linesOf(log: string): Printed[] {
  const lines: { stream: Printed['stream']; text: string }[] = [];
  const open = new Map<string, { text: string }>();
  for (const [, stream = '', tag, text = ''] of log.matchAll(/^\S+ (stdout|stderr) ([PF]) (.*)$/gm)) {
    const begun = open.get(stream);
    if (begun !== undefined) begun.text += text;
    const line = { stream: stream as Printed['stream'], text };
    if (begun === undefined) lines.push(line);
    if (tag === 'F') open.delete(stream);
    else if (begun === undefined) open.set(stream, line);
  }
  return lines
    .slice(-MOST_LINES)
    .map(({ stream, text }) => ({ stream, text: text.slice(0, MOST_CHARACTERS) }));
}
