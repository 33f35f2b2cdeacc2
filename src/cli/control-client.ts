import { type Command, Option } from 'commander';
import { GrowingBuffer } from '../base/input/growing-buffer.js';
import { UserError } from '../base/input/user-error.js';
import { InputError } from '../base/input/yaml.js';

/** Default control API of `mockri serve`. */
const DEFAULT_CONTROL = '127.0.0.1:10350';

/** Adds `--control`, an option of all commands that connect to a running server. */
export function addControlOption(command: Command): Command {
  return command.addOption(
    new Option('--control <address>', 'control API of the server, as in its ready line')
      .env('MOCKRI_CONTROL')
      .default(DEFAULT_CONTROL),
  );
}

export class Refused extends UserError {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ControlClient {
  /** Sends a string body unchanged, any other as JSON; resolves with the JSON of the response. */
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: string | object): Promise<object>;
  follow(path: string, signal: AbortSignal): AsyncIterable<ServerSentMessage>;
}

export interface ServerSentMessage {
  readonly event: string;
  readonly data: unknown;
}

/** Accepts `http://host:port` or `host:port`. Throws InputError for anything else. */
export function connectControl(address: string): ControlClient {
  const base = /^https?:\/\//.test(address) ? address : `http://${address}`;
  if (!URL.canParse(base))
    throw new InputError([
      `--control: ${JSON.stringify(address)} is not an address; expected host:port, such as 127.0.0.1:10350`,
    ]);

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await fetch(new URL(path, base), init).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      throw new UserError(
        `no control API responds at ${base} (${causeOf(error)}): is mockri serve running? --control sets another address`,
      );
    });
    if (!response.ok) throw new Refused(response.status, await problemOf(response, base));
    return response;
  };

  return {
    send: async (method, path, body) => {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const response = await request(path, { method, ...(text !== undefined && { body: text }) });
      return jsonOf(await textOf(response, base), base);
    },
    async *follow(path, signal) {
      const { body } = await request(path, { signal });
      if (body) yield* messages(body, signal, base);
    },
  };
}

/** Limits in case the server is not Mockri: bytes of a reply, and characters of a stream message. */
const LARGEST_ANSWER = 16 * 1024 * 1024;
const LARGEST_MESSAGE = 32 * 1024 * 1024;

/** Throws UserError for a reply that is too large. */
async function textOf({ body }: Response, base: string): Promise<string> {
  const text = new GrowingBuffer();
  for await (const chunk of chunksOf(body)) {
    if (text.length + chunk.length > LARGEST_ANSWER)
      throw new UserError(
        `${base} sends more than ${LARGEST_ANSWER} bytes: it is not the control API of mockri`,
      );
    text.append(Buffer.from(chunk));
  }
  return text.bytes().toString();
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
  } finally {
    await reader.cancel();
  }
}

function jsonOf(text: string, base: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // The same error as for another value.
  }
  throw new UserError(
    `${base} does not send a JSON object: ${JSON.stringify(text.slice(0, 60))}: it is not the control API of mockri`,
  );
}

/** Parses `event:` and `data:` lines; an empty line ends a message (HTML standard, server-sent events). */
async function* messages(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  base: string,
): AsyncGenerator<ServerSentMessage> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let size = 0;
  try {
    for await (const chunk of chunksOf(body)) {
      const text = decoder.decode(chunk, { stream: true });
      const last = parts.at(-1)?.at(-1) ?? '';
      parts.push(text);
      size += text.length;
      if (size > LARGEST_MESSAGE)
        throw new UserError(`${base} sends a message of more than ${LARGEST_MESSAGE} characters`);
      if (!(last + text).includes('\n\n')) continue;
      const blocks = parts.join('').split('\n\n');
      const rest = blocks.pop() ?? '';
      parts = rest === '' ? [] : [rest];
      size = rest.length;
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
        yield { event: fields.get('event') ?? 'message', data: jsonOf(fields.get('data') ?? '{}', base) };
      }
    }
  } catch (error) {
    if (error instanceof UserError) throw error;
    if (!signal.aborted) throw new UserError(`the server closed the connection (${causeOf(error)})`);
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

async function problemOf(response: Response, base: string): Promise<string> {
  const text = await textOf(response, base);
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    if (typeof detail === 'string') return detail;
  } catch {
    // It is not from a control API.
  }
  return `the control API returned ${response.status}: ${text.slice(0, 1000)}`;
}
