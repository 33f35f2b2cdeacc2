import type { ExitStatus, Process, Program } from '../../process/process.js';
import { getopt, type Options } from '../kit/getopt.js';
import { DONE, print } from '../kit/io.js';
import type { CommandTable } from '../programs.js';
import { TimedOut } from './connect.js';
import {
  destinationOf,
  type Fetched,
  fetchOnce,
  headerLines,
  headersIn,
  UnknownHost,
  urlOf,
} from './fetch.js';
import { connectionProblem } from './names.js';

const LONG = {
  'connect-timeout': 'T',
  data: 'd',
  fail: 'f',
  head: 'I',
  header: 'H',
  include: 'i',
  insecure: 'k',
  location: 'L',
  'max-time': 'm',
  output: 'o',
  'remote-name': 'O',
  request: 'X',
  'show-error': 'S',
  silent: 's',
  user: 'u',
  'user-agent': 'A',
  'write-out': 'w',
};

/** curl's own limit, --max-redirs. */
const MAX_REDIRECTS = 50;

/** Ends with one of curl's exit codes; -s hides its message unless -S is there too. */
class CurlError extends Error {
  override readonly name = 'CurlError';
  readonly code: number;

  constructor(code: number, text: string) {
    super(text);
    this.code = code;
  }
}

const curl: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'sSfkLiIOgvo:X:d:H:w:m:T:u:A:', { long: LONG });
  try {
    if (options.operands.length === 0) throw new CurlError(2, 'no URL specified');
    for (const text of options.operands) await transfer(process, text, options);
    return DONE;
  } catch (error) {
    if (!(error instanceof CurlError)) throw error;
    return explain(process, error, options);
  }
};

async function explain(
  process: Process,
  { code, message }: CurlError,
  options: Options,
): Promise<ExitStatus> {
  const isQuiet = options.has('s') && !options.has('S');
  if (!isQuiet) await process.stderr.write(Buffer.from(`curl: (${code}) ${message}\n`));
  return { code };
}

async function transfer(process: Process, text: string, options: Options): Promise<void> {
  const began = process.clock.elapsed();
  const format = options.value('w');
  const url = urlOf(text);
  if (url === undefined) throw new CurlError(3, 'URL using bad/illegal format or missing URL');
  if (url.protocol !== 'http:')
    throw new CurlError(1, `Protocol "${url.protocol.slice(0, -1)}" not supported or disabled in libcurl`);
  const seconds = () => (process.clock.elapsed() - began) / 1000;
  try {
    const reply = await followed(process, url, options);
    if (!(options.has('f') && reply.code >= 400)) await output(process, url, options, reply);
    if (format !== undefined) await print(process, written(format, url, reply, seconds()));
    if (options.has('f') && reply.code >= 400)
      throw new CurlError(22, `The requested URL returned error: ${reply.code}`);
  } catch (error) {
    process.killed.throwIfAborted();
    if (error instanceof CurlError && error.code === 22) throw error;
    if (format !== undefined) await print(process, written(format, url, undefined, seconds()));
    throw await problemOf(process, url, error, process.clock.elapsed() - began);
  }
}

async function followed(process: Process, start: URL, options: Options): Promise<Fetched> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const reply = await fetchOnce(process, url, request(options));
    const { location } = reply.headers;
    const isMoved = reply.code >= 300 && reply.code < 400 && location !== undefined;
    if (!isMoved || !options.has('L')) return reply;
    url = new URL(location, url);
  }
  throw new CurlError(47, `Maximum (${MAX_REDIRECTS}) redirects followed`);
}

function request(options: Options) {
  const data = options.has('d') ? options.values('d').join('&') : undefined;
  const limit = options.value('m') ?? options.value('T');
  const user = options.value('u');
  return {
    method: options.value('X') ?? (options.has('I') ? 'HEAD' : data === undefined ? 'GET' : 'POST'),
    headers: {
      'user-agent': options.value('A') ?? 'curl/8.5.0',
      accept: '*/*',
      ...(data !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...(user !== undefined && { authorization: `Basic ${Buffer.from(user).toString('base64')}` }),
      ...headersIn(options.values('H')),
    },
    body: data === undefined ? undefined : Buffer.from(data),
    limit: limit === undefined ? undefined : Number(limit) * 1000,
  };
}

async function output(process: Process, url: URL, options: Options, reply: Fetched): Promise<void> {
  const head = `${headerLines(reply).join('\r\n')}\r\n\r\n`;
  const isHead = options.has('I');
  const parts = [
    isHead || options.has('i') ? Buffer.from(head) : Buffer.alloc(0),
    isHead ? Buffer.alloc(0) : reply.body,
  ];
  const data = Buffer.concat(parts);
  const path = options.has('O') ? (url.pathname.split('/').at(-1) ?? '') : options.value('o');
  if (path === undefined || path === '-') await process.stdout.write(data);
  else await process.fs.writeFile(path, data);
}

/** The supported variables of --write-out; others stay empty, as in curl. */
function written(format: string, url: URL, reply: Fetched | undefined, seconds: number): string {
  const code = String(reply?.code ?? 0).padStart(3, '0');
  const values = new Map(
    Object.entries({
      content_type: reply?.headers['content-type'] ?? '',
      http_code: code,
      num_redirects: '0',
      response_code: code,
      size_download: String(reply?.body.length ?? 0),
      time_total: seconds.toFixed(6),
      url: url.href,
      url_effective: url.href,
    }),
  );
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
  return format
    .replace(/%\{(\w+)\}/g, (_, name: string) => values.get(name) ?? '')
    .replace(/\\([nrt])/g, (_, letter: string) => escapes[letter] ?? '');
}

async function problemOf(process: Process, url: URL, error: unknown, waited: number): Promise<CurlError> {
  if (error instanceof CurlError) return error;
  if (error instanceof UnknownHost) return new CurlError(6, `Could not resolve host: ${error.message}`);
  if (error instanceof TimedOut)
    return new CurlError(
      28,
      `Operation timed out after ${Math.round(waited)} milliseconds with 0 bytes received`,
    );
  const problem = connectionProblem(error);
  if (problem === 'Connection reset by peer') return new CurlError(52, 'Empty reply from server');
  const { port } = await destinationOf(process, url);
  return new CurlError(7, `Failed to connect to ${url.hostname} port ${port}: ${problem}`);
}

export const curlCommands: CommandTable = { curl };
