import type { ExitStatus, Process } from '../../process/process.js';
import { exitCodeOf } from '../../process/signals.js';
import { waitFor } from '../kit/io.js';
import { programOf } from '../kit/run-other.js';
import { fetchOnce } from '../network/fetch.js';
import {
  type Answer,
  type Certificate,
  type Handler,
  type HttpRequest,
  plain,
  serveHttp,
} from '../network/http-server.js';
import { connectionProblem } from '../network/names.js';
import type { Programs } from '../programs.js';
import { logTo } from './go-log.js';

const MOST_TRIES = 100;

/** Reports its own name and address, runs commands and exits on demand, over HTTP, or TLS with a certificate. */
export async function netexec(
  process: Process,
  port: number,
  programs: Programs,
  certificate: Certificate | undefined,
): Promise<ExitStatus> {
  let leave: (code: number) => void = () => {};
  const left = new Promise<number>((resolve) => {
    leave = resolve;
  });
  await logTo(process, `Started HTTP server on port ${port}`);
  const handle: Handler = async (request) => {
    await logTo(process, requestLine(request));
    return netexecAnswer(process, request, programs, leave);
  };
  await serveHttp(process, port, handle, certificate);
  return { code: await waitFor(process, left) };
}

/** The parameters that netexec logs, in its order; for other paths it logs the path alone. */
const LOGGED: Readonly<Record<string, readonly string[]>> = {
  '/dial': ['host', 'protocol', 'port', 'request', 'tries'],
  '/echo': ['msg', 'code'],
  '/exit': ['code', 'timeout', 'wait'],
};

function requestLine({ path, query }: HttpRequest): string {
  if (path === '/shell') return `GET ${path}?cmd=${query.get('shellCommand') ?? ''}`;
  const parameters = LOGGED[path]?.map((name) => `${name}=${query.get(name) ?? ''}`);
  return `GET ${path}${parameters === undefined ? '' : `?${parameters.join('&')}`}`;
}

async function dial(process: Process, query: URLSearchParams): Promise<Answer> {
  const protocol = query.get('protocol') ?? '';
  const request = query.get('request') ?? '';
  const tries = Number(query.get('tries') ?? 1);
  if (protocol !== '' && protocol.toLowerCase() !== 'http')
    return plain(400, `unsupported protocol. ${protocol}\n`);
  if (!Number.isInteger(tries)) return plain(400, `tries parameter is invalid. ${query.get('tries')}\n`);
  if (request === '') return plain(400, 'request parameter not specified. <nil>\n');
  const url = new URL(`http://${query.get('host')}:${query.get('port')}/${request}`);
  const responses: string[] = [];
  const errors: string[] = [];
  for (let time = 0; time < Math.min(tries, MOST_TRIES); time++) {
    await fetchOnce(process, url, { method: 'GET', headers: {}, body: undefined, limit: undefined }).then(
      ({ body }) => responses.push(body.toString()),
      (error: unknown) => errors.push(`Get "${url.href}": ${connectionProblem(error)}`),
    );
  }
  return plain(
    200,
    JSON.stringify({ ...(errors.length > 0 && { errors }), ...(responses.length > 0 && { responses }) }),
  );
}

async function netexecAnswer(
  process: Process,
  { path, query, headers, client, clientPort }: HttpRequest,
  programs: Programs,
  leave: (code: number) => void,
): Promise<Answer> {
  switch (path) {
    case '/':
      return plain(200, `NOW: ${new Date(Number(process.clock.now() / 1_000_000n)).toISOString()}`);
    case '/clientip':
      return plain(200, `${client}:${clientPort}`);
    case '/dial':
      return dial(process, query);
    case '/echo':
      return plain(Number(query.get('code') ?? 200), query.get('msg') ?? '');
    case '/exit':
      leave(Number(query.get('code') ?? 0));
      return plain(200, '');
    case '/header':
      return plain(200, String(headers[(query.get('key') ?? '').toLowerCase()] ?? ''));
    case '/healthz':
      return plain(200, '');
    case '/hostname':
    case '/hostName':
      return plain(200, process.container.hostname);
    case '/shell':
      return plain(200, JSON.stringify(await shell(process, query.get('shellCommand') ?? '', programs)));
    default:
      return plain(404, '404 page not found\n');
  }
}

async function shell(process: Process, line: string, programs: Programs): Promise<Record<string, string>> {
  const argv = ['/bin/sh', '-c', line];
  const chunks: Buffer[] = [];
  const sink = { write: async (chunk: Buffer) => void chunks.push(chunk), end: () => {} };
  const program = await programOf(programs, process, argv);
  const child = process.spawn({ argv, program, stdout: sink, stderr: sink });
  const code = exitCodeOf(await waitFor(process, child.exit));
  const output = Buffer.concat(chunks).toString();
  return code === 0 ? { output } : { error: `exit status ${code}`, output };
}
