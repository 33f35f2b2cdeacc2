import type { Duplex } from 'node:stream';
import { Account } from '../../base/input/account.js';
import { LARGEST_BACKLOG } from './limits.js';

export interface PipeHandlers {
  data(chunk: Buffer): void;
  /** Called once, as the last event. */
  closed(): void;
}

/** Bytes in both directions. The owner must consume data as it arrives; reads can't be paused. */
export interface Pipe {
  /** Called once, before anything else. */
  listen(handlers: PipeHandlers): void;
  /** Dropped when the pipe is closed. */
  write(bytes: Buffer): void;
  close(): void;
}

/** The pipe closes when its peer stops reading, or when the account has no memory for waiting data. */
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
