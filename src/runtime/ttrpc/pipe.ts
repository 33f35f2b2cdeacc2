import type { Duplex } from 'node:stream';
import { Account } from '../../base/input/account.js';
import { LARGEST_BACKLOG } from './limits.js';

/** What a pipe tells its owner. */
export interface PipeHandlers {
  data(chunk: Buffer): void;
  /** Once; nothing comes after it. */
  closed(): void;
}

/** Bytes in both directions. Who owns one reads all that comes, at once. */
export interface Pipe {
  /** Called once, before anything else. */
  listen(handlers: PipeHandlers): void;
  /** Dropped when the pipe is closed. */
  write(bytes: Buffer): void;
  close(): void;
}

/**
 * A socket as a pipe. It closes itself when its peer does not read what is written, or when the account has no memory for
 * more that waits.
 */
export function pipeOf(socket: Duplex, account = new Account()): Pipe {
  return {
    listen: ({ data, closed }) => {
      socket.on('data', data);
      socket.on('error', () => {});
      socket.once('close', closed);
      socket.once('end', () => socket.destroy());
    },
    write: (bytes) => {
      if (socket.destroyed) return;
      if (socket.writableLength > LARGEST_BACKLOG || !account.take(bytes.length)) socket.destroy();
      else socket.write(bytes, () => account.take(-bytes.length));
    },
    close: () => {
      socket.destroy();
    },
  };
}
