import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { UserError } from '../../../base/input/user-error.js';
import { drained } from '../../../tape/output.js';

const PIECE = 64 * 1024;

interface Output {
  line(line: string): void;
  lines(lines: Iterable<string> | AsyncIterable<string>): Promise<void>;
  end(): Promise<void>;
}

/** Opens a file, or stdout without one. Throws UserError for an unwritable file, at the latest in `end`. */
export function openOutput(file?: string): Output {
  const stream: Writable = file === undefined ? process.stdout : createWriteStream(file);
  let failure: Error | undefined;
  if (file !== undefined)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      failure = new UserError(`${file}: cannot be written: ${error.code ?? error.message}`);
    });
  let text = '';
  const flush = async () => {
    const part = text;
    text = '';
    if (failure !== undefined) throw failure;
    if (!stream.write(part)) await drained(stream);
  };
  const line = (line: string) => {
    text += `${line}\n`;
  };
  return {
    line,
    lines: async (lines) => {
      for await (const each of lines) {
        line(each);
        if (text.length > PIECE) await flush();
      }
    },
    end: async () => {
      if (text !== '') await flush();
      if (file === undefined) return;
      stream.end();
      await finished(stream).catch(() => {});
      if (failure !== undefined) throw failure;
    },
  };
}
