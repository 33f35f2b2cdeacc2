import { STATUS_CODES } from 'node:http';
import type { ByteSink, Process, Program } from '../../process/process.js';
import { getopt } from '../kit/getopt.js';
import { DONE, failWith, forever, waitFor } from '../kit/io.js';
import type { CommandTable } from '../programs.js';
import { fileAnswer } from './file-answer.js';
import { type Answer, type HttpRequest, listenHttp } from './http-server.js';
import { connectionProblem } from './names.js';

const nowhere: ByteSink = { write: async () => {}, end: () => {} };

/**
 * busybox's httpd: serves the files below -h (default: the working directory) on -p (default 80). Without -f it
 * continues in the background once it listens. There is no CGI.
 */
const httpd: Program = async (process) => {
  const options = getopt(process.argv.slice(1), 'fvip:h:u:c:r:');
  const port = Number((options.value('p') ?? '80').replace(/^.*:/, ''));
  const home = options.value('h') ?? '.';
  const root = home.startsWith('/') ? home : `${process.cwd}/${home}`;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    return failWith(process, `bad address '${options.value('p')}'`);
  }
  try {
    if ((await process.fs.stat(root)).kind !== 'directory') throw new Error('Not a directory');
  } catch {
    return failWith(process, `can't change directory to '${home}': No such file or directory`);
  }
  const serve = (server: Process) => listenHttp(server, port, (request) => answer(server, root, request));
  try {
    if (!options.has('f')) return await daemonize(process, serve);
    await serve(process);
  } catch (error) {
    process.killed.throwIfAborted();
    return failWith(process, `bind: ${connectionProblem(error)}`);
  }
  return forever(process);
};

/** Ends as soon as its child listens. */
async function daemonize(process: Process, serve: (server: Process) => Promise<void>) {
  const listens = new Promise<void>((resolve, reject) => {
    const program: Program = async (child) => {
      try {
        await serve(child);
      } catch (error) {
        reject(error);
        return { code: 1 };
      }
      resolve();
      return forever(child);
    };
    process.spawn({ argv: process.argv, program, stdout: nowhere, stderr: nowhere, group: 'new' });
  });
  await waitFor(process, listens);
  return DONE;
}

async function answer(process: Process, root: string, request: HttpRequest): Promise<Answer> {
  const { method, path } = request;
  if (method !== 'GET' && method !== 'HEAD') return page(501, 'The requested method is not recognized');
  if (path.split('/').includes('..')) return page(400, 'Unsupported method');
  const found = await fileAnswer(process, request, `${root}${path}`);
  if (found.code === 200) return found;
  if (found.code === 301) return { code: 302, headers: { location: `${path}/` } };
  // A directory without an index counts as missing.
  return page(404, 'The requested URL was not found');
}

function page(code: number, text: string): Answer {
  const title = `${code} ${STATUS_CODES[code]}`;
  const body = `<HTML><HEAD><TITLE>${title}</TITLE></HEAD>\n<BODY><H1>${title}</H1>\n${text}\n</BODY></HTML>\n`;
  return { code, headers: { 'content-type': 'text/html' }, body };
}

/** busybox's httpd; the Apache image's has another name. */
export const httpdCommands: CommandTable = { httpd };
