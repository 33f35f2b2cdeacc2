import { STATUS_CODES } from 'node:http';
import { messageOf } from '../../../base/input/error-text.js';
import type { Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { catchSignals, DONE, forever, print, waitFor } from '../kit/io.js';
import { fileAnswer } from '../network/file-answer.js';
import { type Answer, bodySize, type HttpRequest, logTime, serveHttp } from '../network/http-server.js';
import type { CommandTable } from '../programs.js';
import { type Config, type Location, locate, readConfig, type Site } from './nginx-config.js';

const VERSION = 'nginx/1.14.2';
const PID_FILE = '/var/run/nginx.pid';

const DEFAULT_ROOT = '/usr/share/nginx/html';

/** Serves its configuration; ps shows a master process and one worker. */
const nginx: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'vVtTqs:p:c:g:e:?h');
  if (options.has('v') || options.has('V')) {
    await process.stderr.write(Buffer.from(`nginx version: ${VERSION}\n`));
    return DONE;
  }
  const path = options.value('c') ?? '/etc/nginx/nginx.conf';
  let config: Config;
  try {
    config = await readConfig((await process.fs.readFile(path)).toString(), (pattern) =>
      include(process, pattern),
    );
  } catch (error) {
    await process.stderr.write(Buffer.from(`nginx: [emerg] ${messageOf(error)} in ${path}\n`));
    return { code: 1 };
  }
  if (config.ignored.length > 0)
    await process.stderr.write(
      Buffer.from(`nginx: [warn] not simulated in ${path}: ${config.ignored.join(', ')}\n`),
    );
  if (options.has('t')) {
    await process.stderr.write(Buffer.from(`nginx: configuration file ${path} test is successful\n`));
    return DONE;
  }
  const title = `nginx: master process ${process.argv.join(' ')}`;
  return process.exec({ argv: [title], program: (master) => runMaster(master, config.sites) });
};

async function runMaster(process: Process, sites: readonly Site[]): Promise<typeof DONE> {
  const signalled = catchSignals(process, ['TERM', 'INT', 'QUIT']);
  process.onSignal('HUP', 'ignore');
  await process.fs.writeFile(PID_FILE, Buffer.from(`${process.pid}\n`)).catch(() => {});
  for (const site of sites) {
    for (const port of site.ports)
      await serveHttp(process, port, (request) => logged(process, site, request));
  }
  const worker = process.spawn({ argv: ['nginx: worker process'], program: forever });
  await waitFor(process, signalled);
  worker.container.kill(worker.pid, 'KILL');
  await process.fs.unlink(PID_FILE).catch(() => {});
  return DONE;
}

/** The texts of `conf.d/*.conf`; a name without a star must exist. */
async function include(process: Process, pattern: string): Promise<readonly string[]> {
  const absolute = pattern.startsWith('/') ? pattern : `/etc/nginx/${pattern}`;
  const read = async (path: string) => (await process.fs.readFile(path)).toString();
  if (!pattern.includes('*')) return [await read(absolute)];
  const directory = absolute.slice(0, absolute.lastIndexOf('/'));
  const [before = '', after = ''] = absolute.slice(directory.length + 1).split('*');
  const names = await process.fs.readdir(directory).catch(() => []);
  const meant = names.filter((name) => name.startsWith(before) && name.endsWith(after));
  return Promise.all(meant.map((name) => read(`${directory}/${name}`)));
}

async function logged(process: Process, site: Site, request: HttpRequest): Promise<Answer> {
  const location = locate(site, request.path);
  const answer = finish(await answerOf(process, location, request));
  const { client, line, headers } = request;
  const size = bodySize(answer.body ?? '');
  const from = `"${headers.referer ?? '-'}" "${headers['user-agent'] ?? '-'}" "-"`;
  await print(process, `${client} - - [${logTime(process)}] "${line}" ${answer.code} ${size} ${from}\n`);
  return answer;
}

async function answerOf(process: Process, location: Location, request: HttpRequest): Promise<Answer> {
  const { path, method } = request;
  const { answer, root = DEFAULT_ROOT, alias, pattern, index } = location;
  if (answer) {
    const isRedirect = answer.code >= 301 && answer.code <= 308 && answer.code !== 304;
    const headers: Record<string, string> = isRedirect ? { location: answer.text } : {};
    return isRedirect || answer.text === ''
      ? { code: answer.code, headers }
      : { code: answer.code, headers: { 'content-type': 'text/plain' }, body: answer.text };
  }
  if (method !== 'GET' && method !== 'HEAD') return { code: 405 };
  const file = alias === undefined ? `${root}${path}` : `${alias}${path.slice(pattern.length)}`;
  return fileAnswer(process, request, file, index);
}

/** Adds its name, and its own page for an empty reply. */
function finish({ code, headers, body }: Answer): Answer {
  const title = `${code} ${STATUS_CODES[code] ?? ''}`.trim();
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body bgcolor="white">\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${VERSION}</center>\r\n</body>\r\n</html>\r\n`;
  const isBare = body === undefined && code >= 300;
  return {
    code,
    headers: { server: VERSION, ...(isBare && { 'content-type': 'text/html' }), ...headers },
    body: isBare ? page : (body ?? ''),
  };
}

/** nginx 1.14 of the images in the catalog. */
export const nginxPrograms: CommandTable = { nginx };
