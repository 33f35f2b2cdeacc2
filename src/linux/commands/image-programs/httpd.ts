import { STATUS_CODES } from 'node:http';
import type { Process, Program } from '../../process/process.js';
import { catchSignals, DONE, forever, print, waitFor } from '../kit/io.js';
import { fileAnswer } from '../network/file-answer.js';
import { type Answer, bodySize, type HttpRequest, logTime, serveHttp } from '../network/http-server.js';
import type { CommandTable } from '../programs.js';

const ROOT = '/usr/local/apache2/htdocs';
const VERSION = 'Apache/2.4.39 (Unix)';

/** Apache in the foreground: port 80, the image's htdocs, its notices on standard error. */
const httpd: Program = async (process) => {
  const signalled = catchSignals(process, ['TERM', 'INT', 'WINCH']);
  const notice = (text: string) => process.stderr.write(Buffer.from(`${noticeTime(process)} ${text}\n`));
  const address = process.container.ips[0] ?? '127.0.0.1';
  await process.stderr.write(
    Buffer.from(
      `AH00558: httpd: Could not reliably determine the server's fully qualified domain name, using ${address}. Set the 'ServerName' directive globally to suppress this message\n`,
    ),
  );
  await serveHttp(process, 80, (request) => logged(process, request));
  const master = `[pid ${process.pid}:tid 1]`;
  await notice(`[mpm_event:notice] ${master} AH00489: ${VERSION} configured -- resuming normal operations`);
  await notice(`[core:notice] ${master} AH00094: Command line: 'httpd -D FOREGROUND'`);
  const worker = process.spawn({ argv: ['httpd', '-DFOREGROUND'], program: forever });
  const signal = await waitFor(process, signalled);
  worker.container.kill(worker.pid, 'KILL');
  await notice(`[mpm_event:notice] ${master} AH00491: caught SIG${signal}, shutting down`);
  return DONE;
};

/** `Sat Nov 21 07:13:16.123456 2026` in brackets. */
function noticeTime({ clock }: Process): string {
  const nanos = clock.now();
  const [weekday = '', day, month, year, time] = new Date(Number(nanos / 1_000_000n))
    .toUTCString()
    .split(' ');
  const micros = String((nanos / 1000n) % 1_000_000n).padStart(6, '0');
  return `[${weekday.slice(0, 3)} ${month} ${day} ${time}.${micros} ${year}]`;
}

async function logged(process: Process, request: HttpRequest): Promise<Answer> {
  const found = await fileAnswer(process, request, `${ROOT}${request.path}`);
  const title = `${found.code} ${STATUS_CODES[found.code]}`;
  const page = `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>${title}</title>\n</head><body>\n<h1>${STATUS_CODES[found.code]}</h1>\n</body></html>\n`;
  const body = found.body ?? page;
  const size = bodySize(body);
  await print(
    process,
    `${request.client} - - [${logTime(process)}] "${request.line}" ${found.code} ${size}\n`,
  );
  const headers = { server: VERSION, 'content-type': 'text/html', ...found.headers };
  return { code: found.code, headers, body };
}

export const httpdPrograms: CommandTable = {
  'apache-httpd': httpd,
  'httpd-foreground': (process) => process.exec({ argv: ['httpd', '-DFOREGROUND'], program: httpd }),
};
