import type { ExitStatus, Process, Program } from '../../process/process.js';
import { getopt, type Options } from '../kit/getopt.js';
import { DONE, failWith } from '../kit/io.js';
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
  'post-data': 'D',
  header: 'H',
  quiet: 'q',
  'output-document': 'O',
  'no-check-certificate': 'n',
  spider: 's',
  timeout: 'T',
  tries: 't',
  'directory-prefix': 'P',
  continue: 'c',
  'server-response': 'S',
  'user-agent': 'U',
};

/** Redirects that are followed, as in busybox. */
const MAX_REDIRECTS = 5;

/** busybox's wget, over HTTP. */
const wget: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'qcSsnO:P:T:t:U:D:H:o:Y:', { long: LONG });
  const [text] = options.operands;
  if (text === undefined) return failWith(process, 'missing URL');
  const url = urlOf(text);
  if (url?.protocol !== 'http:') return failWith(process, `not an http or ftp url: ${text}`);
  try {
    const reply = await followed(process, url, options);
    if (typeof reply === 'string') return failWith(process, reply);
    return options.has('s') ? DONE : await save(process, url, options, reply);
  } catch (error) {
    process.killed.throwIfAborted();
    return failWith(process, await problemOf(process, url, error));
  }
};

/** Follows redirects; returns the last reply, or an error. */
async function followed(process: Process, start: URL, options: Options): Promise<Fetched | string> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const { address, port } = await destinationOf(process, url);
    if (!options.has('q')) await note(process, `Connecting to ${url.host} (${address}:${port})\n`);
    const reply = await fetchOnce(process, url, request(options));
    if (options.has('S'))
      await note(
        process,
        headerLines(reply)
          .map((line) => `  ${line}\n`)
          .join(''),
      );
    const { location } = reply.headers;
    const isMoved = reply.code >= 300 && reply.code < 400 && location !== undefined;
    if (!isMoved) return reply.code < 300 ? reply : `server returned error: ${reply.statusLine}`;
    url = new URL(location, url);
  }
  return 'too many redirections';
}

function request(options: Options) {
  const seconds = options.value('T');
  const data = options.value('D');
  return {
    method: data === undefined ? 'GET' : 'POST',
    headers: {
      'user-agent': options.value('U') ?? 'Wget',
      ...(data !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      ...headersIn(options.values('H')),
    },
    body: data === undefined ? undefined : Buffer.from(data),
    limit: seconds === undefined ? undefined : Number(seconds) * 1000,
  };
}

async function save(process: Process, url: URL, options: Options, { body }: Fetched): Promise<ExitStatus> {
  const name = options.value('O') ?? (url.pathname.split('/').at(-1) || 'index.html');
  if (name === '-') await process.stdout.write(body);
  else {
    const path = options.value('O') ?? `${options.value('P') ?? '.'}/${name}`;
    await process.fs.writeFile(path, body);
  }
  if (!options.has('q')) {
    const size = String(body.length).padStart(5);
    await note(process, `${name.padEnd(20).slice(0, 20)} 100% |${'*'.repeat(32)}| ${size}  0:00:00 ETA\n`);
  }
  return DONE;
}

const note = (process: Process, text: string): Promise<void> => process.stderr.write(Buffer.from(text));

async function problemOf(process: Process, url: URL, error: unknown): Promise<string> {
  if (error instanceof UnknownHost) return `bad address '${error.message}'`;
  if (error instanceof TimedOut) return 'download timed out';
  const { address } = await destinationOf(process, url);
  return `can't connect to remote host (${address}): ${connectionProblem(error)}`;
}

export const wgetCommands: CommandTable = { wget };
