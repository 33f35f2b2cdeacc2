import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Cpu } from '../../base/clock/cpu.js';
import { InputError } from '../../base/input/yaml.js';
import { jsonReply } from './json-reply.js';
import { httpStatusOf, Problem } from './problem.js';
import type { Replies } from './replies.js';
import type { ControlReply } from './router.js';

/** Replies show the current state and must not be cached or sniffed. */
const COMMON = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** Sends a route's reply; resolves when it is sent or the client has gone. Throws Problem 503 without memory. */
export async function sendReply(
  response: ServerResponse<IncomingMessage>,
  reply: ControlReply,
  replies: Replies,
  cpu: Cpu,
  signal: AbortSignal,
): Promise<void> {
  if ('events' in reply) return sendEvents(response, reply, cpu, signal);
  const isJson = 'json' in reply;
  const bytes = isJson ? await jsonReply(reply.json, cpu) : Buffer.from(reply.text);
  replies.add(response, bytes.length);
  if (isJson) send(response, reply.status ?? 200, 'application/json', bytes);
  else send(response, 200, reply.type, bytes, reply.headers);
}

/** Sends application/problem+json (RFC 9457). Calls `onDefect` with internal errors, which clients must not see. */
export function sendProblem(
  response: ServerResponse,
  error: unknown,
  onDefect: ((error: unknown) => void) | undefined,
): void {
  const status = httpStatusOf(error) ?? 500;
  if (status === 500) onDefect?.(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const detail = status === 500 ? "internal error; see the server's log" : (error as Error).message;
  const errors = error instanceof InputError && error.details.length > 0 ? error.details : undefined;
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail, errors };
  // The rest of the request's body stays unread, so the connection ends with the reply.
  const headers = { connection: 'close', ...(error instanceof Problem && error.headers) };
  const bytes = Buffer.from(`${JSON.stringify(problem)}\n`);
  send(response, status, 'application/problem+json', bytes, headers);
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  bytes: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { ...COMMON, 'content-type': type, 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

/** Time in ms that a reader has to take its last bytes before its connection ends. */
const FAREWELL_TIME = 10_000;

async function sendEvents(
  response: ServerResponse<IncomingMessage>,
  { events }: Extract<ControlReply, { readonly events: unknown }>,
  cpu: Cpu,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { ...COMMON, 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const { overrun } = events;
  if (response.req.method !== 'HEAD')
    for await (const entry of events) {
      if (signal.aborted) return;
      if (!response.write(entry)) await drained(response, [signal, overrun]);
      await cpu.request();
    }
  if (overrun.aborted) response.setTimeout(FAREWELL_TIME, () => response.destroy());
  response.end();
}

function drained(response: ServerResponse, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.removeListener('drain', done);
      for (const signal of signals) signal.removeEventListener('abort', done);
      resolve();
    };
    if (signals.some(({ aborted }) => aborted)) return resolve();
    response.once('drain', done);
    for (const signal of signals) signal.addEventListener('abort', done, { once: true });
  });
}
