import type { Duplex } from 'node:stream';
import type { Timer } from '../../../base/clock/clock.js';
import type { Account } from '../../../base/input/account.js';
import { SpdyConnection } from '../../../cri/spdy/connection.js';
import type { SpdyStream } from '../../../cri/spdy/stream.js';
import { type Forwarder, forwardPort, isPort } from '../port.js';

/** X-Stream-Protocol-Version of port forwarding; there is only one (cri-streaming portforward constants.go). */
export const PORT_FORWARD_PROTOCOL = 'portforward.k8s.io';

/** Maximum characters of a request id: clients use a counter. */
const LONGEST_ID = 256;

export interface SpdyForwardOptions extends Forwarder {
  readonly account?: Account | undefined;
  /** Time in ms in which the second stream of a pair has to follow the first. */
  readonly streamCreationTimeout: number;
}

/** The two streams of one forwarded connection; the error stream comes first. */
interface Pair {
  readonly streams: Map<string, SpdyStream>;
  readonly timer: Timer;
}

/** Forwards pairs of streams to ports of the sandbox until all have ended (cri-streaming portforward). */
export async function forwardOverSpdy(transport: Duplex, options: SpdyForwardOptions): Promise<void> {
  const { clock, account } = options;
  const pairs = new Map<string, Pair>();
  const running = new Set<Promise<void>>();
  const connection = new SpdyConnection(transport, { clock, account, accept });

  function accept(stream: SpdyStream): boolean {
    const type = stream.headers.get('streamtype') ?? '';
    const port = Number(stream.headers.get('port'));
    if ((type !== 'error' && type !== 'data') || !isPort(port)) return false;
    const id = pairId(stream, type);
    if (id.length > LONGEST_ID) return false;
    const pair = pairs.get(id) ?? open(id);
    if (pair.streams.has(type)) return false;
    pair.streams.set(type, stream);
    stream.once('close', () => leave(id, pair));
    // Only the server writes errors.
    if (type === 'error') stream.resume();
    const data = pair.streams.get('data');
    const error = pair.streams.get('error');
    if (data !== undefined && error !== undefined) {
      pair.timer.cancel();
      pairs.delete(id);
      const forwarding = clock.run(() =>
        forward(options, port, { data, error }, transport, connection.closed),
      );
      running.add(forwarding);
      void forwarding.finally(() => running.delete(forwarding));
    }
    return true;
  }

  function open(id: string): Pair {
    const streams = new Map<string, SpdyStream>();
    const timer = clock.setTimer(options.streamCreationTimeout, () => leave(id, pair));
    const pair: Pair = { streams, timer };
    pairs.set(id, pair);
    return pair;
  }

  function leave(id: string, pair: Pair): void {
    if (pairs.get(id) !== pair) return;
    pair.timer.cancel();
    pairs.delete(id);
    for (const stream of pair.streams.values()) stream.destroy();
  }

  await new Promise<void>((resolve) => {
    connection.closed.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const { timer } of pairs.values()) timer.cancel();
  await Promise.all(running);
}

/** Old clients send no request id; their data stream directly follows its error stream. */
function pairId(stream: SpdyStream, type: 'error' | 'data'): string {
  return stream.headers.get('requestid') ?? String(type === 'error' ? stream.id : stream.id - 2);
}

async function forward(
  options: SpdyForwardOptions,
  port: number,
  { data, error }: { readonly data: SpdyStream; readonly error: SpdyStream },
  transport: Duplex,
  closed: AbortSignal,
): Promise<void> {
  const ending = new AbortController();
  const end = () => ending.abort(closed.reason);
  closed.addEventListener('abort', end, { once: true });
  data.once('close', end);
  const failure = await forwardPort(options, port, data, () => void transport.destroy(), ending.signal);
  closed.removeEventListener('abort', end);
  error.end(failure);
  if (failure !== undefined || ending.signal.aborted) data.destroy();
  data.resume();
}
