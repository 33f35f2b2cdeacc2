import type { Socket } from 'node:net';
import type { Clock } from '../../base/clock/clock.js';
import type { Account } from '../../base/input/account.js';
import type { StreamingHandler, StreamingServer } from '../../runtime/engine/streaming.js';
import type { StreamRules } from '../../runtime/fault-decisions.js';
import { DEFAULT_LIMITS } from '../../runtime/streaming/limits.js';
import type { StreamRequest } from '../../runtime/streaming/request.js';
import { StreamSockets } from '../../runtime/streaming/sockets.js';
import { TokenStore } from '../../runtime/streaming/tokens.js';

/** Exec, attach and port-forward of one runtime without a socket: the process's kubelet server serves them. */
export interface NodeStreams {
  readonly handler: StreamingHandler;
  /** Pays for what sessions have not read yet. */
  readonly account: Account | undefined;
  rules(): StreamRules | undefined;
  /** Registers a session's connection, which the kubelet passes through to the runtime: it ends with the runtime. */
  add(socket: Socket): void;
  /** The request behind a URL of Exec, Attach or PortForward; valid once, and for a minute. */
  take(url: string): StreamRequest | undefined;
}

/** Base of the URLs of these runtimes; nothing listens there. */
const BASE = 'http://in-process';

export function createNodeStreams(
  clock: Clock,
  account: Account | undefined,
): {
  readonly serve: (handler: StreamingHandler) => Promise<StreamingServer>;
  /** Throws before `serve` was called. */
  readonly streams: () => NodeStreams;
} {
  const tokens = new TokenStore(clock, DEFAULT_LIMITS);
  const url = (request: StreamRequest) => `${BASE}/${request.kind}/${tokens.issue(request)}`;
  const sockets = new StreamSockets();
  let handler: StreamingHandler | undefined;
  let rules: StreamRules | undefined;
  return {
    serve: async (given) => {
      handler = given;
      return {
        address: '',
        execUrl: (session) => url({ kind: 'exec', session }),
        attachUrl: (session) => url({ kind: 'attach', session }),
        portForwardUrl: (session) => url({ kind: 'portforward', ...session }),
        useRules: (given) => {
          rules = given;
        },
        hold: (until) => sockets.hold(until),
        disconnectAll: () => sockets.breakAll(),
        suspend: async () => {
          tokens.clear();
          await sockets.close();
        },
        resume: async () => {},
        close: async () => {},
      };
    },
    streams: () => {
      if (handler === undefined) throw new Error('the runtime was not opened');
      return {
        handler,
        account,
        rules: () => rules,
        add: (socket) => sockets.add(socket),
        take: (given) => tokens.consume(given.slice(given.lastIndexOf('/') + 1)),
      };
    },
  };
}
