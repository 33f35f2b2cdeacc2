import type { Clock } from '../../base/clock/clock.js';
import type { StreamingHandler, StreamingServer } from '../../runtime/engine/streaming.js';
import { DEFAULT_LIMITS } from '../../runtime/streaming/limits.js';
import type { StreamRequest } from '../../runtime/streaming/request.js';
import { TokenStore } from '../../runtime/streaming/tokens.js';

/** Exec, attach and port-forward of one runtime without a socket: the kubelet server of the process serves them. */
export interface NodeStreams {
  /** Runs the sessions. */
  readonly handler: StreamingHandler;
  /** The request behind a URL that Exec, Attach or PortForward answered; good once, and for a minute. */
  take(url: string): StreamRequest | undefined;
}

/** Where the URLs of these runtimes seem to lead; nothing listens there. */
const BASE = 'http://in-process';

/** Streams, and what the runtime takes for its streaming server. */
export function createNodeStreams(clock: Clock): {
  readonly serve: (handler: StreamingHandler) => Promise<StreamingServer>;
  /** Throws before `serve` was called. */
  readonly streams: () => NodeStreams;
} {
  const tokens = new TokenStore(clock, {
    ttl: DEFAULT_LIMITS.tokenTtl,
    pending: DEFAULT_LIMITS.pendingTokens,
    pendingCommands: DEFAULT_LIMITS.pendingCommands,
  });
  const url = (request: StreamRequest) => `${BASE}/${request.kind}/${tokens.issue(request)}`;
  let handler: StreamingHandler | undefined;
  return {
    serve: async (given) => {
      handler = given;
      return {
        address: '',
        execUrl: (session) => url({ kind: 'exec', session }),
        attachUrl: (session) => url({ kind: 'attach', session }),
        portForwardUrl: (session) => url({ kind: 'portforward', ...session }),
        // The kubelet server is in the kubelet's process; only the URLs are gone with the runtime's.
        suspend: async () => tokens.clear(),
        resume: async () => {},
        close: async () => {},
      };
    },
    streams: () => {
      if (handler === undefined) throw new Error('the runtime was not opened');
      return { handler, take: (given) => tokens.consume(given.slice(given.lastIndexOf('/') + 1)) };
    },
  };
}
