import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClientHttp2Stream, constants } from 'node:http2';
import { type ClockedServer, serveOnClock } from '../../../base/clock/network/http-server.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { type ApiRequest, readRequest } from './api-request.js';
import type { Applied, FaultRules } from './fault-rules.js';
import { framesOf } from './frames.js';
import { createUpstream, type Upstream } from './upstream.js';

export interface ProxyOptions {
  readonly clock: VirtualClock;
  readonly upstream: Upstream;
  /** For requests without one. */
  readonly token: string;
  readonly rules: FaultRules;
  /** ms since the start of the scenario. */
  elapsed(): number;
  /** A request was answered; without a status, its connection broke. */
  readonly answered: (seen: ApiRequest, status: number | undefined) => void;
  readonly applied: (seen: ApiRequest, applied: Applied) => void;
  /** Kills the program and starts it again. */
  readonly killed: () => void;
  /** Stops the program for so many ms. */
  readonly paused: (duration: number) => void;
}

/** Headers that belong to one connection (RFC 9110, 7.6.1), and those that this proxy sets itself. */
const OWN: readonly string[] = [
  ...['connection', 'http2-settings', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'],
  ...['accept-encoding', 'host'],
];

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** An API server for one program; HTTP/1.1 without TLS, because only this machine reaches it. */
export async function openProxy(options: ProxyOptions): Promise<ClockedServer> {
  const { clock } = options;
  const upstream = createUpstream(clock, options.upstream);
  const server = await serveOnClock(clock, (request, response) => {
    new Exchange(options, request, response).begin(() => upstream.session());
  });
  return {
    url: server.url,
    close: () => {
      server.close();
      upstream.close();
    },
  };
}

type Session = ReturnType<ReturnType<typeof createUpstream>['session']>;

/** A request and its reply. */
class Exchange {
  readonly #options: ProxyOptions;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #seen: ApiRequest;
  readonly #applied: readonly Applied[];

  constructor(options: ProxyOptions, request: IncomingMessage, response: ServerResponse) {
    this.#options = options;
    this.#request = request;
    this.#response = response;
    this.#seen = readRequest(request.method ?? '', request.url ?? '');
    this.#applied = options.rules.request(this.#seen, options.elapsed());
    // The real date would differ in each run; the API server sends its own.
    response.sendDate = false;
    request.on('error', () => {});
    response.on('error', () => {});
  }

  begin(session: () => Session): void {
    for (const each of this.#applied) this.#options.applied(this.#seen, each);
    const thens = this.#applied.map(({ then }) => then);
    if (thens.some(({ kill }) => kill === 'before')) {
      this.#break();
      this.#options.killed();
      return;
    }
    const delay = thens.reduce((sum, then) => sum + (then.delay ?? 0), 0);
    const refused = thens.find(({ error }) => error !== undefined)?.error;
    const isBroken = thens.some(({ disconnect }) => disconnect !== undefined);
    const act = () => {
      if (this.#response.destroyed) return;
      if (isBroken) this.#break();
      else if (refused !== undefined) this.#refuse(refused);
      else this.#forward(session());
    };
    if (delay === 0) act();
    else this.#options.clock.setTimer(delay, act);
  }

  #break(): void {
    this.#options.answered(this.#seen, undefined);
    this.#request.socket.destroy();
  }

  #refuse(code: number): void {
    const message = `mockri: ${this.#applied.map(({ fault }) => fault).join(', ')}`;
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message };
    this.#options.answered(this.#seen, code);
    this.#request.resume();
    this.#response.writeHead(code, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify({ ...status, reason: reasons[code], code }));
  }

  #forward(session: Session): void {
    const { token } = this.#options;
    const { method, url, headers } = this.#request;
    const own = new Set([...OWN, ...(headers.connection ?? '').toLowerCase().split(/[\s,]+/)]);
    const sent = Object.entries(headers).filter(([name]) => !own.has(name));
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const up = session.request(
      { authorization: `Bearer ${token}`, ...Object.fromEntries(sent), ':method': method, ':path': url },
      { endStream: !hasBody },
    );
    if (hasBody) this.#request.pipe(up);
    const pause = this.#applied.reduce((sum, { then }) => sum + (then.pause ?? 0), 0);
    if (pause > 0) this.#options.paused(pause);
    this.#response.on('close', () => up.closed || up.close(constants.NGHTTP2_CANCEL));
    up.on('error', () => this.#request.socket.destroy());
    up.on('response', ({ ':status': status = 0, ...answer }) => {
      const thens = this.#applied.map(({ then }) => then);
      const isKilled = thens.some(({ kill }) => kill === 'after');
      if (isKilled || thens.some(({ loseReply }) => loseReply)) {
        this.#break();
        if (isKilled) this.#options.killed();
        return;
      }
      this.#options.answered(this.#seen, status);
      this.#response.writeHead(status, answer);
      const isWatch = this.#seen.verb === 'watch' && status === 200;
      if (isWatch && this.#options.rules.watches(this.#seen))
        this.#events(up, String(answer['content-type']));
      else {
        // A watch without an event is to have its header.
        this.#response.flushHeaders();
        up.pipe(this.#response);
      }
    });
  }

  /** Passes on a watch, event by event. */
  #events(up: ClientHttp2Stream, contentType: string): void {
    const { rules, elapsed, applied, clock } = this.#options;
    const frames = framesOf(contentType);
    const later = inOrder(clock);
    this.#response.flushHeaders();
    up.on('data', (bytes: Buffer) => {
      for (const frame of frames(bytes)) {
        const faults = isBookmark(frame) ? [] : rules.event(this.#seen, elapsed());
        for (const each of faults) applied(this.#seen, each);
        if (faults.some(({ then }) => then.disconnect !== undefined)) {
          // Earlier events still arrive.
          later(0, () => this.#request.socket.destroySoon());
          return;
        }
        const delay = faults.reduce((sum, { then }) => sum + (then.delay ?? 0), 0);
        const given = faults.some(({ then }) => then.repeat) ? Buffer.concat([frame, frame]) : frame;
        later(delay, () => this.#response.writable && this.#response.write(given));
      }
    });
    up.on('end', () => later(0, () => this.#response.end()));
  }
}

/** Its type comes first, in JSON as in protobuf. */
const isBookmark = (frame: Buffer): boolean => frame.subarray(0, 32).includes('BOOKMARK');

/** Runs each work after its delay, and not before the previous one. */
function inOrder(clock: VirtualClock): (delay: number, work: () => void) => void {
  let last = 0;
  let waiting = 0;
  return (delay, work) => {
    last = Math.max(last, clock.elapsed() + delay);
    if (waiting === 0 && last <= clock.elapsed()) {
      work();
      return;
    }
    waiting++;
    clock.setTimer(last - clock.elapsed(), () => {
      waiting--;
      work();
    });
  };
}
