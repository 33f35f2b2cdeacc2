import { Client, credentials, type Metadata, status as Status, type StatusObject } from '@grpc/grpc-js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { turn } from '../../base/clock/turn.js';
import { type CallStatus, UNREACHED_KEY } from '../status-code.js';
import { clientOptions } from './client-options.js';
import { goStatus } from './go-status.js';

export interface CallListener {
  message(bytes: Buffer): void;
  /** Called once, last. If the failure does not come from the server, `details` is Go's text. */
  end(status: StatusObject & CallStatus): void;
}

export interface OutgoingRequest {
  /** `/runtime.v1.RuntimeService/Version` */
  readonly path: string;
  readonly metadata: Metadata;
  readonly message: Buffer;
  /** Unix milliseconds of real time; undefined for none. */
  readonly deadline?: number | undefined;
}

export interface OutgoingCall {
  read(): void;
  /** Abandons the call: no further callbacks. */
  cancel(): void;
}

/** A connection to a gRPC server; the first call opens it. Messages are bytes. */
export interface Channel {
  /** Sends one message, and requests the first reply. */
  start(request: OutgoingRequest, listener: CallListener): OutgoingCall;
  /** Resolves once connected; rejects after `timeout` ms of real time, or when the channel is closed. */
  waitForReady(timeout: number): Promise<void>;
  /** Leaves running calls to their callers. */
  close(): void;
}

/** Opens `unix:///path`, `unix:path`, `/path`, `tcp://host:port` or `host:port`; the first call connects. */
export function openChannel(endpoint: string): Channel {
  const target = endpoint.startsWith('/') ? `unix:${endpoint}` : endpoint.replace(/^tcp:\/\//, '');
  const client = new Client(target, credentials.createInsecure(), clientOptions);
  const closing = new AbortController();
  return {
    start: ({ path, metadata, message, deadline = Number.POSITIVE_INFINITY }, listener) => {
      const call = client.getChannel().createCall(path, deadline, undefined, null, undefined);
      let isOver = false;
      call.start(metadata, {
        onReceiveMetadata: () => {},
        onReceiveMessage: (bytes: Buffer) => {
          if (!isOver) listener.message(bytes);
        },
        onReceiveStatus: (status) => {
          if (isOver) return;
          isOver = true;
          const reachedNobody = status.metadata?.get(UNREACHED_KEY).length > 0;
          listener.end({ ...status, ...goStatus(status), ...(reachedNobody && { unreached: true }) });
        },
      });
      call.startRead();
      call.sendMessageWithContext({}, message);
      call.halfClose();
      return {
        read: () => {
          if (!isOver) call.startRead();
        },
        cancel: () => {
          if (isOver) return;
          isOver = true;
          const giveUp = () => call.cancelWithStatus(Status.CANCELLED, 'cancelled by the caller');
          giveUp();
          // In the turn of its start, a call has no stream yet: grpc-js would still open one later.
          void turn().then(giveUp);
        },
      };
    },
    waitForReady: (timeout) =>
      new Promise((resolve, reject) => {
        // grpc-js would report a closed channel only at its own deadline, and keep the process alive until then.
        const end = (error?: Error) => {
          timer.cancel();
          if (error === undefined) resolve();
          else reject(error);
        };
        const late = () => end(new Error(`no connection to ${endpoint} within ${timeout} ms`));
        const timer = createRealClock().setTimer(timeout, late);
        closing.signal.addEventListener('abort', () => end(closing.signal.reason));
        client.waitForReady(Number.POSITIVE_INFINITY, end);
      }),
    close: () => {
      closing.abort(new Error(`the connection to ${endpoint} is closed`));
      client.close();
    },
  };
}
