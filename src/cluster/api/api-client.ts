import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock/clock.js';
import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { linesOf } from '../../base/input/lines.js';
import { ApiError, toApiError } from './api-error.js';
import type { Credentials } from './credentials.js';
import type { Connection } from './kubeconfig.js';
import { createPace, type Pace, type PaceLimits, type Priority } from './pace.js';
import { createTransport } from './transport.js';

/** Maximum bytes of a reply with one object (etcd accepts 1.5 MiB, a server at most 3 MiB), and of a page of a list. */
const LARGEST_OBJECT = 16 * 1024 * 1024;
const LARGEST_PAGE = 128 * 1024 * 1024;

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** For example `/api/v1/nodes`; variable parts must be encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** Called when the request is sent, possibly long after it was queued. */
  readonly body?: (() => object) | undefined;
  /** Default: `application/json`. */
  readonly type?: 'application/strategic-merge-patch+json' | 'application/merge-patch+json' | undefined;
  /** `metadata`: the reply contains only the object's metadata, which is less work for both sides. */
  readonly answer?: 'metadata' | undefined;
  /** Called with the reply's size in bytes. */
  readonly answered?: ((bytes: number) => void) | undefined;
  /** Default: `normal`. */
  readonly priority?: Priority | undefined;
}

export interface ApiCounts {
  sent: number;
  refused: number;
  failed: number;
}

export interface ApiClient {
  /** Resolves with the object in the reply. Throws ApiError for an error status, and network errors. */
  request(request: ApiRequest): Promise<unknown>;
  /** Objects of a streamed reply, one per line. Not rate-limited: a process has only a few streams. */
  lines(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<unknown>>;
  readonly counts: Readonly<ApiCounts>;
  readonly waiting: number;
  /**
   * A client for the same server with other credentials and `most` connections. It shares pace and counts, and ends
   * with this client.
   */
  as(credentials: Credentials, most: number): ApiClient;
  close(): void;
}

export type ClientOf = (node: string) => ApiClient;

/** Reply timeout in ms, as in the kubelet's heartbeat client for leases and status. */
const TIMEOUT = 10_000;
/** Timeout for lists, which take a busy server longer (kube-apiserver --request-timeout). */
const LIST_TIMEOUT = 60_000;
/** Number of attempts if the server is too busy (client-go rest/with_retry.go). */
const TRIES = 10;
const USER_AGENT = 'mockri';
const JSON_TYPE = 'application/json';
/** A server without support for it returns the whole object. */
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1,${JSON_TYPE}`;

interface Shared {
  readonly clock: Clock;
  readonly pace: Pace;
  readonly counts: ApiCounts;
  readonly closed: AbortController;
}

/** Connects with its first request; all identities share its pace and counts. */
export function createApiClient(connection: Connection, limits: PaceLimits, clock: Clock): ApiClient {
  const closed = new AbortController();
  setMaxListeners(0, closed.signal);
  const counts: ApiCounts = { sent: 0, refused: 0, failed: 0 };
  return clientOf(connection, limits.inFlight, { clock, pace: createPace(clock, limits), counts, closed });
}

function clientOf(connection: Connection, most: number, shared: Shared): ApiClient {
  const { clock, pace, counts, closed } = shared;
  const transport = createTransport(connection, most);
  closed.signal.addEventListener('abort', transport.close);

  const once = async (request: ApiRequest, body: string | undefined): Promise<unknown> => {
    const { method, type = JSON_TYPE } = request;
    const path = withQuery(request.path, request.query);
    const enough = new AbortController();
    const patience = request.priority === 'first' ? LIST_TIMEOUT : TIMEOUT;
    const timer = clock.setTimer(patience, () =>
      enough.abort(new Error(`no answer within ${patience / 1000} s`)),
    );
    const stop = () => enough.abort(closed.signal.reason);
    closed.signal.addEventListener('abort', stop, { once: true });
    counts.sent++;
    try {
      const answer = await transport.send({
        method,
        path,
        headers: {
          Accept: request.answer === 'metadata' ? METADATA_TYPE : JSON_TYPE,
          'User-Agent': USER_AGENT,
          ...(body !== undefined && { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }),
        },
        body,
        signal: enough.signal,
      });
      const largest = request.priority === 'first' ? LARGEST_PAGE : LARGEST_OBJECT;
      const content = await readAnswer(answer, largest);
      request.answered?.(content.length);
      pace.back();
      return check(answer, content, `${method} ${path}`);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      counts.failed++;
      pace.away();
      throw enough.signal.aborted ? enough.signal.reason : error;
    } finally {
      timer.cancel();
      closed.signal.removeEventListener('abort', stop);
    }
  };

  const check = (answer: IncomingMessage, content: string, what: string): unknown => {
    const { statusCode = 0, headers } = answer;
    if (statusCode >= 200 && statusCode < 300) return content === '' ? {} : JSON.parse(content);
    counts.refused++;
    if (statusCode === 401) connection.credentials.refused();
    throw toApiError(statusCode, content, headers['retry-after'], what);
  };

  return {
    counts,
    get waiting() {
      return pace.waiting;
    },
    request: async (request) => {
      const { priority = 'normal', body } = request;
      for (let attempt = 1; ; attempt++) {
        closed.signal.throwIfAborted();
        try {
          return await clock.idle(pace.run(priority, () => once(request, body && JSON.stringify(body()))));
        } catch (error) {
          const isLast = attempt >= TRIES || closed.signal.aborted;
          if (isLast || !(error instanceof ApiError)) throw error;
          // An expired token is fetched again, once.
          if (error.code === 401 && attempt === 1) continue;
          if (error.retryAfter === undefined) throw error;
          await clock.sleep(error.retryAfter, closed.signal);
        }
      }
    },
    lines: async (path, query, signal) => {
      const both = AbortSignal.any([signal, closed.signal]);
      const begun = transport.send({
        isStream: true,
        method: 'GET',
        path: withQuery(path, query),
        headers: { Accept: JSON_TYPE, 'User-Agent': USER_AGENT },
        signal: both,
      });
      const answer = await clock.idle(begun);
      if (answer.statusCode !== 200)
        check(answer, await clock.idle(readAnswer(answer, LARGEST_OBJECT)), `GET ${path}`);
      return idly(clock, parseLines(answer));
    },
    as: (credentials, own) => clientOf({ ...connection, credentials }, own, shared),
    close: () => {
      const reason = new Error('the client was closed');
      closed.abort(reason);
      pace.close(reason);
    },
  };
}

/** Throws for a reply of more than `most` bytes, and stops reading. */
async function readAnswer(answer: IncomingMessage, most: number): Promise<string> {
  const text = new GrowingBuffer();
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    if (text.length + chunk.length > most) throw new Error(`the answer has more than ${most} bytes`);
    text.append(chunk);
  }
  return text.bytes().toString();
}

function withQuery(path: string, query: Readonly<Record<string, string>> | undefined): string {
  return query === undefined ? path : `${path}?${new URLSearchParams(query)}`;
}

/** Waiting for the next one holds no clock: the API server may be on it. */
async function* idly<T>(clock: Clock, all: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = all[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await clock.idle(iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

async function* parseLines(answer: IncomingMessage): AsyncGenerator<unknown> {
  for await (const line of linesOf(answer, LARGEST_OBJECT)) if (line !== '') yield JSON.parse(line);
}
