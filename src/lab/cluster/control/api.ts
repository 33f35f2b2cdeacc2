import type { ClientHttp2Stream } from 'node:http2';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { messageOf } from '../../../base/input/error-text.js';
import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import { UserError } from '../../../base/input/user-error.js';
import type { Json } from '../../../kubelet/api-server/json.js';
import { framesOf } from '../proxy/frames.js';
import { createUpstream, type Upstream } from '../proxy/upstream.js';

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly contentType?: string;
  readonly accept?: string;
}

/** A client with all rights, of which the scenario's steps and rows are. */
export interface Api {
  /** Lets time pass until the reply. Rejects with ApiRefusal, and if there is none within a virtual minute. */
  send(call: ApiCall): Promise<Json>;
  /** Calls `changed` for each event of a watch, until `close`. Resolves when it has begun; rejects with ApiRefusal. */
  watch(path: string, accept: string, changed: (event: Json) => void): Promise<void>;
  close(): void;
}

/** The API server's message, such as `deployments.apps "web" not found`. */
export class ApiRefusal extends UserError {}

const JSON_TYPE = 'application/json';
/** Longest virtual time for a reply, in ms. */
const PATIENCE = 60_000;
/** Virtual time before a refused watch begins again, in ms. */
const PAUSE = 1000;

export function openApi(clock: VirtualClock, upstream: Upstream, token: string): Api {
  const connection = createUpstream(clock, upstream);
  const open = ({
    method,
    path,
    body,
    contentType = JSON_TYPE,
    accept = JSON_TYPE,
  }: ApiCall): ClientHttp2Stream => {
    const identity = { authorization: `Bearer ${token}`, 'user-agent': 'mockri' };
    const stream = connection.session().request(
      {
        ...identity,
        accept,
        ':method': method,
        ':path': path,
        ...(body && { 'content-type': contentType }),
      },
      { endStream: body === undefined },
    );
    if (body !== undefined) stream.end(JSON.stringify(body));
    return stream;
  };
  const replyTo = async (call: ApiCall): Promise<Json> => {
    const stream = open(call);
    let status = 0;
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0;
    });
    const text = new GrowingBuffer();
    try {
      for await (const chunk of stream) text.append(chunk);
    } catch (error) {
      const { cause = error } = error as Error;
      throw new ApiRefusal(`${call.method} ${call.path}: ${messageOf(cause)}`);
    }
    const reply = text.bytes().toString();
    if (status >= 300) throw new ApiRefusal(reasonOf(reply) ?? `status ${status}`);
    return reply.startsWith('{') ? JSON.parse(reply) : { text: reply };
  };
  return {
    send: async (call) => {
      let isSettled = false;
      const reply = replyTo(call).finally(() => {
        isSettled = true;
      });
      reply.catch(() => {});
      await clock.runUntil(() => isSettled, PATIENCE);
      if (!isSettled) throw new ApiRefusal(`${call.method} ${call.path}: no reply within a virtual minute`);
      return await reply;
    },
    watch: async (path, accept, changed) => {
      for (const limit = clock.elapsed() + PATIENCE; ; await clock.advance(PAUSE)) {
        const stream = open({ method: 'GET', path, accept });
        let status: number | undefined;
        stream.on('error', () => {});
        stream.on('close', () => {
          status ??= 0;
        });
        stream.on('response', (headers) => {
          status = headers[':status'];
        });
        await clock.runUntil(() => status !== undefined, PATIENCE);
        if (status === 200) {
          const frames = framesOf(JSON_TYPE);
          stream.on('data', (bytes: Buffer) => {
            for (const frame of frames(bytes)) changed(JSON.parse(frame.toString()));
          });
          return;
        }
        // A new resource is refused until the API server has initialized its storage.
        stream.destroy();
        if (clock.elapsed() >= limit) throw new ApiRefusal(`GET ${path}: status ${status}`);
      }
    },
    close: connection.close,
  };
}

function reasonOf(reply: string): string | undefined {
  try {
    return JSON.parse(reply).message;
  } catch {
    return reply || undefined;
  }
}
