import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { type ClientHttp2Stream, constants } from 'node:http2';
import type { Duplex } from 'node:stream';
import { type ClockedServer, serveOnClock } from '../../../base/clock/network/http-server.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import { type ApiRequest, isWrite, readRequest } from './api-request.js';
import { isReadable, readEvent, readObject } from './encoding.js';
import type { Applied, FaultRules } from './fault-rules.js';
import { framesOf } from './frames.js';
import type { History } from './history.js';
import { initialEvents, itemsOf, jsonOf, staleRead } from './stale-reads.js';
import { createUpstream, type Upstream } from './upstream.js';
import { type Hidden, scopeOf, type View } from './view.js';

export interface ProxyOptions {
  readonly clock: VirtualClock;
  readonly upstream: Upstream;
  /** For requests without one. */
  readonly token: string;
  readonly rules: FaultRules;
  /** Followed only if someone asks. */
  readonly view?: View;
  /** Of all programs, for stale reads. */
  readonly history?: History;
  /** ms since the start of the scenario. */
  elapsed(): number;
  /** A request was answered; without a status, its connection broke. A write has what the program had not been shown. */
  readonly answered: (seen: ApiRequest, status: number | undefined, unseen: readonly Hidden[]) => void;
  /** A write that begins, or an event of a watch. */
  readonly seen?: ((seen: ApiRequest) => void) | undefined;
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

/** If a watch cache has less than is demanded, it waits for it, at most so many ms (apiserver/pkg/storage/cacher). */
const MOST_WAIT = 3000;
const TOO_LARGE = { retryAfterSeconds: 1, causes: [{ reason: 'ResourceVersionTooLarge' }] };

/** An API server for one program; HTTP/1.1 without TLS, because only this machine reaches it. */
export async function openProxy(options: ProxyOptions): Promise<ClockedServer> {
  const { clock } = options;
  const upstream = createUpstream(clock, options.upstream);
  const answer = (request: IncomingMessage, response: ServerResponse, head?: Buffer) =>
    new Exchange(options, request, response).begin(upstream, head);
  const server = await serveOnClock(clock, (request, response) => answer(request, response), answer);
  return {
    url: server.url,
    close: () => {
      server.close();
      upstream.close();
    },
  };
}

type Connections = ReturnType<typeof createUpstream>;

/** A request and its reply. */
class Exchange {
  readonly #options: ProxyOptions;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #seen: ApiRequest;
  readonly #applied: readonly Applied[];
  readonly #scope: string;
  readonly #unseen: readonly Hidden[];
  /** A fault ends the watch before its next event. */
  #isBroken = false;

  constructor(options: ProxyOptions, request: IncomingMessage, response: ServerResponse) {
    this.#options = options;
    this.#request = request;
    this.#response = response;
    this.#seen = readRequest(request.method ?? '', request.url ?? '');
    this.#applied = options.rules.request(this.#seen, options.elapsed());
    this.#scope = scopeOf(request.url ?? '', request.headers.accept);
    this.#unseen = isWrite(this.#seen.verb) ? [...(options.view?.hidden ?? [])] : [];
    if (isWrite(this.#seen.verb)) options.seen?.(this.#seen);
    // The real date would differ in each run; the API server sends its own.
    response.sendDate = false;
    request.on('error', () => {});
    response.on('error', () => {});
  }

  /** With a `head`, it asks for another protocol. */
  begin(upstream: Connections, head?: Buffer): void {
    for (const each of this.#applied) this.#options.applied(this.#seen, each);
    const thens = this.#applied.map(({ then }) => then);
    if (thens.some(({ kill }) => kill === 'before')) {
      this.#break();
      this.#options.killed();
      return;
    }
    const delay = thens.reduce((sum, then) => sum + (then.delay ?? 0), 0);
    const refused = thens.find(({ error }) => error !== undefined)?.error;
    const stale = this.#applied.find(({ then }) => then.stale !== undefined);
    const { history } = this.#options;
    const isRead = history !== undefined && (this.#seen.verb !== 'watch' || this.#seen.lists);
    const isBroken = thens.some(({ disconnect }) => disconnect !== undefined);
    const act = () => {
      if (this.#response.destroyed) return;
      if (isBroken) this.#break();
      else if (refused !== undefined) this.#refuse(refused);
      else if (stale !== undefined && isRead) this.#readStale(upstream, stale, history);
      else if (head === undefined) this.#forward(upstream);
      else this.#upgrade(upstream.dial(), head);
    };
    if (delay === 0) act();
    else this.#options.clock.setTimer(delay, act);
  }

  #break(): void {
    this.#options.answered(this.#seen, undefined, this.#unseen);
    this.#request.socket.destroy();
  }

  #refuse(code: number, text?: string, details?: object): void {
    const message = text ?? `mockri: ${this.#applied.map(({ fault }) => fault).join(', ')}`;
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, details };
    this.#options.answered(this.#seen, code, this.#unseen);
    this.#request.resume();
    this.#response.writeHead(code, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify({ ...status, reason: reasons[code], code }));
  }

  /** Answers as an API server that is behind. */
  #readStale(upstream: Connections, cause: Applied, history: History, hasWaited = false): void {
    const { clock, elapsed, view } = this.#options;
    if (this.#response.destroyed) return;
    const revision = history.at(elapsed() - (cause.then.stale ?? 0));
    const { accept } = this.#request.headers;
    const { wanted, list, watch } = staleRead(this.#seen, this.#request.url ?? '', revision);
    if (wanted > revision) {
      const message = `Timeout: Too large resource version: ${wanted}, current: ${revision}`;
      if (hasWaited) this.#refuse(504, message, TOO_LARGE);
      else clock.setTimer(MOST_WAIT, () => this.#readStale(upstream, cause, history, true));
      return;
    }
    view?.shown(this.#scope);
    for (const change of history.since(revision, this.#seen))
      view?.hide({ ...change, cause, scope: this.#scope, isLost: true });
    if (this.#seen.verb === 'list') {
      this.#forward(upstream, { path: list });
      return;
    }
    const up = this.#send(upstream, list, jsonOf(accept, 'List;'));
    this.#collect(up, (status, body) => {
      const found = status === 200 ? JSON.parse(body.toString()) : {};
      if (status !== 200) this.#refuse(status);
      else if (this.#seen.verb === 'watch')
        this.#forward(upstream, { path: watch, accept: jsonOf(accept), first: initialEvents(found) });
      else if (found.items.length === 0)
        this.#refuse(404, `${this.#seen.resource} "${this.#seen.name}" not found`);
      else if (this.#answered(status)) {
        this.#response.writeHead(status, { 'content-type': 'application/json' });
        this.#response.end(JSON.stringify(itemsOf(found)[0]));
      }
    });
  }

  /** Exec, attach and port-forward each have their own connection, on which another protocol follows. */
  #upgrade(connection: Duplex, head: Buffer): void {
    const { host: _, ...headers } = this.#request.headers;
    const { method, url: path, socket } = this.#request;
    const authorization = `Bearer ${this.#options.token}`;
    const up = requestHttp({
      ...{ method, path, headers: { authorization, ...headers } },
      createConnection: () => connection,
    });
    this.#pause();
    socket.on('close', () => connection.destroy());
    up.on('error', () => socket.destroy());
    up.on('response', (answer) => {
      const { statusCode = 0 } = answer;
      if (this.#answered(statusCode)) answer.pipe(this.#response.writeHead(statusCode, answer.headers));
    });
    up.on('upgrade', ({ statusCode = 0, headers }, _, first: Buffer) => {
      if (!this.#answered(statusCode)) return;
      this.#response.writeHead(statusCode, headers).flushHeaders();
      this.#response.detachSocket(socket);
      socket.write(first);
      connection.write(head);
      connection.on('error', () => socket.destroy());
      connection.pipe(socket).pipe(connection);
    });
    up.end();
  }

  #pause(): void {
    const pause = this.#applied.reduce((sum, { then }) => sum + (then.pause ?? 0), 0);
    if (pause > 0) this.#options.paused(pause);
  }

  get #isKilled(): boolean {
    return this.#applied.some(({ then }) => then.kill === 'after');
  }

  get #isLost(): boolean {
    return this.#isKilled || this.#applied.some(({ then }) => then.loseReply);
  }

  /** Whether the program is to get the reply. */
  #answered(status: number, name = this.#seen.name): boolean {
    if (this.#isLost) {
      this.#break();
      if (this.#isKilled) this.#options.killed();
      return false;
    }
    this.#options.answered({ ...this.#seen, name }, status, this.#unseen);
    return true;
  }

  #collect(up: ClientHttp2Stream, done: (status: number, body: Buffer) => void): void {
    const body = new GrowingBuffer();
    let status = 0;
    up.on('response', (answer) => {
      status = answer[':status'] ?? 0;
    });
    up.on('data', (bytes: Buffer) => body.append(bytes));
    up.on('end', () => up.aborted || done(status, body.bytes()));
  }

  #send(upstream: Connections, path = this.#request.url, accept?: string): ClientHttp2Stream {
    const { token, view } = this.#options;
    const { method, headers } = this.#request;
    const own = new Set([...OWN, ...(headers.connection ?? '').toLowerCase().split(/[\s,]+/)]);
    const sent = Object.fromEntries(
      Object.entries({ ...headers, ...(accept && { accept }) }).filter(([name]) => !own.has(name)),
    );
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    const up = upstream
      .session()
      .request(
        { authorization: `Bearer ${token}`, ...sent, ':method': method, ':path': path },
        { endStream: !hasBody },
      );
    if (hasBody) this.#request.pipe(up);
    const end = () => up.closed || (view && this.#isBroken) || up.close(constants.NGHTTP2_CANCEL);
    this.#response.on('close', end);
    up.on('error', () => this.#request.socket.destroy());
    return up;
  }

  /**
   * Sends the request to the API server, and its reply to the program. `stale` asks for another path; a watch then begins
   * with the events in `first`.
   */
  #forward(
    upstream: Connections,
    stale?: { path: string; accept?: string; first?: readonly Buffer[] },
  ): void {
    const up = this.#send(upstream, stale?.path, stale?.accept);
    this.#pause();
    up.on('response', ({ ':status': status = 0, ...answer }) => {
      const { 'content-type': contentType = '' } = answer;
      const isMade = this.#unseen.length > 0 && status < 300 && isReadable(contentType) && !this.#isLost;
      if (isMade) this.#collect(up, (_, body) => this.#answered(status, readObject(body, contentType)?.name));
      else if (!this.#answered(status)) return;
      this.#response.writeHead(status, answer);
      const { verb } = this.#seen;
      if (verb === 'watch' && status === 200 && isReadable(contentType)) {
        this.#passEvents(up, contentType, stale?.first);
        return;
      }
      if (!stale && ['get', 'list'].includes(verb) && [200, 404].includes(status))
        this.#options.view?.shown(this.#scope);
      // A watch without an event is to have its header.
      this.#response.flushHeaders();
      up.pipe(this.#response);
    });
  }

  /** Passes on a watch, event by event. */
  #passEvents(up: ClientHttp2Stream, contentType: string, first: readonly Buffer[] = []): void {
    const { clock, rules, elapsed, applied, view, history } = this.#options;
    const [seen, scope, response] = [this.#seen, this.#scope, this.#response];
    const frames = framesOf(contentType);
    const later = inOrder(clock);
    const stale = this.#applied.find(({ then }) => then.stale !== undefined);
    /** The rule that last made an event late, or broke the watch. */
    let cause = stale;
    const pass = (frame: Buffer, lag = 0): void => {
      const isEvent = !this.#isBroken && !isBookmark(frame);
      if (isEvent) this.#options.seen?.(seen);
      const faults = isEvent ? rules.event(seen, elapsed()) : [];
      for (const each of faults) applied(seen, each);
      cause = faults.find(({ then }) => then.disconnect ?? then.delay) ?? cause;
      if (faults.some(({ then }) => then.disconnect !== undefined)) {
        this.#isBroken = true;
        view?.reads(scope, up);
        // Earlier events still arrive.
        later(0, () => this.#request.socket.destroySoon());
      }
      const event = (view ?? history) && readEvent(frame, contentType);
      const isChange = event !== undefined && event.type !== 'BOOKMARK';
      const change = isChange && { ...event, resource: seen.resource, time: elapsed() };
      const time = change && history ? history.add(change) : elapsed();
      const hidden = change && cause && { ...change, time, cause, scope, isLost: this.#isBroken };
      if (hidden) view?.hide(hidden);
      if (this.#isBroken) return;
      const behind = lag === 0 ? 0 : Math.max(0, time + lag - elapsed());
      const delay = faults.reduce((sum, { then }) => sum + (then.delay ?? 0), behind);
      const given = faults.some(({ then }) => then.repeat) ? Buffer.concat([frame, frame]) : frame;
      later(delay, () => {
        if (hidden) view?.hidden.delete(hidden);
        if (event) view?.shown(scope, event);
        if (response.writable) response.write(given);
      });
    };
    view?.reads(scope);
    response.flushHeaders();
    for (const frame of first) pass(frame);
    up.on('data', (bytes: Buffer) => {
      for (const frame of frames(bytes)) pass(frame, stale?.then.stale);
    });
    up.on('end', () => later(0, () => response.end()));
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
