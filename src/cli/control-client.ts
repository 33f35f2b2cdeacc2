import { type Command, Option } from 'commander';
import { UserError } from '../input/user-error.js';
import { InputError } from '../input/yaml.js';

/** Default address of the control API of `mockri serve`. */
const DEFAULT_CONTROL = '127.0.0.1:10350';

/** Adds `--control`, the option of all commands that connect to a running server. */
export function addControlOption(command: Command): Command {
  return command.addOption(
    new Option('--control <address>', 'control API of the server, as in its ready line')
      .env('MOCKRI_CONTROL')
      .default(DEFAULT_CONTROL),
  );
}

/** Client of the control API of a running server. Failures are errors with a readable message. */
export interface ControlClient {
  /** Sends a string body unchanged, any other as JSON; resolves with the JSON of the response. */
  send<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: string | object): Promise<T>;
  /** Messages of a stream of server-sent events. */
  follow(path: string, signal: AbortSignal): AsyncIterable<ServerSentMessage>;
}

/** One server-sent event; `data` is parsed JSON. */
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
    if (!response.ok) throw new UserError(await problemOf(response));
    return response;
  };

  return {
    send: async <T>(method: string, path: string, body?: string | object) => {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const response = await request(path, { method, ...(text !== undefined && { body: text }) });
      return (await response.json()) as T;
    },
    async *follow(path, signal) {
      const { body } = await request(path, { signal });
      if (body) yield* messages(body, signal);
    },
  };
}

/** Reads `event:` and `data:` lines; an empty line ends a message (HTML standard, server-sent events). */
async function* messages(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<ServerSentMessage> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]));
        yield { event: fields.get('event') ?? 'message', data: JSON.parse(fields.get('data') ?? 'null') };
      }
    }
  } catch (error) {
    if (!signal.aborted) throw new UserError(`the server closed the connection (${causeOf(error)})`);
  }
}

function causeOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? message;
}

/** The message of a problem+json response. */
async function problemOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { readonly detail: string }).detail;
  } catch {
    return `the control API returned ${response.status}: ${text}`;
  }
}
