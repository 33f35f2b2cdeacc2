import { createSecureContext } from 'node:tls';
import { messageOf } from '../../../base/input/error-text.js';
import type { ExitStatus, Process, Program } from '../../process/process.js';
import { catchSignals, complain, DONE, forever, print, waitFor } from '../kit/io.js';
import { openConnection, TimedOut } from '../network/connect.js';
import { type Answer, type Certificate, plain, serveHttp } from '../network/http-server.js';
import { addressOf } from '../network/names.js';
import type { CommandTable, Programs } from '../programs.js';
import { grpcHealthChecking } from './agnhost-health.js';
import { logTo } from './go-log.js';
import { netexec } from './netexec.js';

type Subcommand = (process: Process, flags: Flags, args: readonly string[]) => Promise<ExitStatus>;

/** Flags as Go's pflag has them: `--http-port=80` or `--http-port 80`. */
type Flags = ReadonlyMap<string, string>;

/** Time in ms for which `liveness` reports success. */
const WELL = 10_000;

const agnhost =
  (programs: Programs): Program =>
  async (process) => {
    const [name = 'pause', ...words] = process.argv.slice(1);
    const subcommands = subcommandsOf(programs);
    const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    if (subcommand === undefined) {
      const known = Object.keys(subcommands).sort().join(', ');
      const text = `Error: unknown command "${name}" for "app"; simulated are: ${known}\n`;
      await process.stderr.write(Buffer.from(text));
      return { code: 1 };
    }
    const { flags, args } = parseFlags(words);
    const end = subcommand(process, flags, args);
    return process.pid !== 1 || CATCHING.has(name) ? end : Promise.race([end, endOfGo(process)]);
  };

const CATCHING: ReadonlySet<string> = new Set(['netexec', 'pause', 'serve-hostname']);

/** As PID 1, a Go program without handlers survives the signal's default action; Go's runtime then exits with 2. */
async function endOfGo(process: Process): Promise<ExitStatus> {
  await waitFor(process, catchSignals(process, ['TERM', 'INT', 'HUP']));
  return { code: 2 };
}

/** Exits the given time in ms after SIGTERM. */
async function afterTerm(process: Process, delay: number): Promise<ExitStatus> {
  await waitFor(process, catchSignals(process, ['TERM']));
  if (delay > 0) await process.sleep(delay);
  return DONE;
}

async function pause(process: Process): Promise<ExitStatus> {
  await print(process, 'Paused\n');
  const signalled = catchSignals(process, ['INT', 'TERM']);
  await print(process, 'Signals registered\n');
  const signal = await waitFor(process, signalled);
  const text = `exiting because of signal "${signal === 'INT' ? 'interrupt' : 'terminated'}"\n`;
  const path = process.env.get('TERMINATION_MESSAGE_PATH') || '/dev/termination-log';
  await process.fs.writeFile(path, Buffer.from(text)).catch(() => {});
  await print(process, text);
  return { code: signal === 'INT' ? 1 : 2 };
}

function parseFlags(words: readonly string[]): { flags: Flags; args: readonly string[] } {
  const flags = new Map<string, string>();
  const args: string[] = [];
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    const [, name, value] = /^--?([a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) args.push(word);
    else if (value !== undefined) flags.set(name, value);
    else flags.set(name, queue[0]?.startsWith('-') === false ? (queue.shift() ?? '') : 'true');
  }
  return { flags, args };
}

const subcommandsOf = (programs: Programs): Readonly<Record<string, Subcommand>> => ({
  connect,
  'entrypoint-tester': entrypointTester,
  'etc-hosts': async (process) => {
    await print(process, (await process.fs.readFile('/etc/hosts')).toString());
    return DONE;
  },
  'fake-registry-server': fakeRegistryServer,
  'grpc-health-checking': withCertificate((process, flags, certificate) =>
    grpcHealthChecking(process, {
      port: Number(flags.get('port') ?? 5000),
      httpPort: Number(flags.get('http-port') ?? 8080),
      service: flags.get('service') ?? '',
      delay: Number(flags.get('delay-unhealthy-sec') ?? -1),
      certificate,
    }),
  ),
  liveness,
  'logs-generator': logsGenerator,
  netexec: withCertificate((process, flags, certificate) =>
    Promise.race([
      netexec(process, Number(flags.get('http-port') ?? 8080), programs, certificate),
      afterTerm(process, 1000 * Number(flags.get('delay-shutdown') ?? 0)),
    ]),
  ),
  pause,
  'serve-hostname': serveHostname,
  'test-webserver': testWebserver,
});

async function connect(
  process: Process,
  flags: Flags,
  [target = '']: readonly string[],
): Promise<ExitStatus> {
  const at = target.lastIndexOf(':');
  const address = await addressOf(process, target.slice(0, at));
  const seconds = Number.parseFloat(flags.get('timeout') ?? '');
  const fail = async (text: string) => {
    await process.stderr.write(Buffer.from(`${text}\n`));
    return { code: 1 };
  };
  if (address === undefined) return fail('DNS');
  try {
    const limit = Number.isNaN(seconds) ? undefined : seconds * 1000;
    (await openConnection(process, address, Number(target.slice(at + 1)), limit)).destroy();
    return DONE;
  } catch (error) {
    process.killed.throwIfAborted();
    if (error instanceof TimedOut) return fail('TIMEOUT');
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    return fail(isRefused ? 'REFUSED' : 'OTHER');
  }
}

/** Prints its command line: tests of command and args compare it. */
async function entrypointTester(process: Process): Promise<ExitStatus> {
  await print(process, `[${process.argv.join(' ')}]\n`);
  return DONE;
}

/** Succeeds for ten seconds, then fails: the example of a liveness probe in Kubernetes' documentation. */
async function liveness(process: Process): Promise<ExitStatus> {
  const began = process.clock.elapsed();
  await serveHttp(process, 8080, async ({ path, query }) => {
    const age = process.clock.elapsed() - began;
    if (path === '/started') return plain(200, `${(age / 1000).toFixed(3)}s`);
    if (path === '/redirect') return found(query.get('loc') ?? '/');
    if (path !== '/healthz') return plain(404);
    return age > WELL ? plain(500, `error: ${age / 1000}`) : plain(200, 'ok');
  });
  return forever(process);
}

const found = (location: string): Answer => ({
  code: 302,
  headers: { location, 'content-type': 'text/html; charset=utf-8' },
  body: `<a href="${location.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)}">Found</a>.\n\n`,
});

async function logsGenerator(process: Process, flags: Flags): Promise<ExitStatus> {
  const total = Number(flags.get('log-lines-total') ?? flags.get('t') ?? 1);
  const seconds = Number.parseFloat(flags.get('run-duration') ?? flags.get('d') ?? '1');
  if (!Number.isInteger(total) || total < 0 || !(seconds >= 0)) {
    await complain(process, 'log-lines-total must be a whole number, and run-duration a number of seconds');
    return { code: 1 };
  }
  for (let line = 0; line < total; line++) {
    await process.stderr.write(Buffer.from(`I ${line} GET /api/v1/namespaces/default/pods/${line} 200\n`));
    await process.sleep((seconds * 1000) / total);
  }
  return DONE;
}

type SecureSubcommand = (
  process: Process,
  flags: Flags,
  certificate: Certificate | undefined,
) => Promise<ExitStatus>;

/** Serves with TLS if flags name a certificate and its key. */
const withCertificate =
  (serve: SecureSubcommand): Subcommand =>
  async (process, flags) => {
    const [cert, key] = [flags.get('tls-cert-file'), flags.get('tls-private-key-file')];
    if (cert === undefined && key === undefined) return serve(process, flags, undefined);
    const read = async (path = '') => {
      if (path === '') throw new Error('both --tls-cert-file and --tls-private-key-file must be set');
      return process.fs.readFile(path);
    };
    try {
      const certificate = { cert: await read(cert), key: await read(key) };
      createSecureContext(certificate);
      return await serve(process, flags, certificate);
    } catch (error) {
      process.killed.throwIfAborted();
      await logTo(process, messageOf(error));
      return { code: 1 };
    }
  };

/** Only reports that it is a registry, and whether it requires credentials: the rules for pulls decide the rest. */
async function fakeRegistryServer(process: Process, flags: Flags): Promise<ExitStatus> {
  const port = Number(flags.get('port') ?? 5000);
  await logTo(process, `HTTP server starting to listen on :${port}`);
  await serveHttp(process, port, async ({ path, headers }) => {
    if (!path.startsWith('/v2/')) return plain(404, '404 page not found\n');
    if (flags.get('private') === 'true' && headers.authorization !== REGISTRY_USER)
      return {
        code: 401,
        headers: { 'www-authenticate': 'Basic realm="Restricted"' },
        body: 'Unauthorized\n',
      };
    return path === '/v2/' ? plain(200, '') : plain(404, '404 page not found\n');
  });
  return forever(process);
}

const REGISTRY_USER = `Basic ${Buffer.from('user:password').toString('base64')}`;

async function serveHostname(process: Process, flags: Flags): Promise<ExitStatus> {
  const port = Number(flags.get('port') ?? 9376);
  await serveHttp(process, port, async () => plain(200, process.container.hostname));
  return afterTerm(process, 60_000);
}

async function testWebserver(process: Process, flags: Flags): Promise<ExitStatus> {
  await serveHttp(process, Number(flags.get('port') ?? 80), async () => plain(200, 'ok'));
  return forever(process);
}

/** Under the command of its images; unsimulated subcommands exit with code 1. */
export const agnhostPrograms = (programs: Programs): CommandTable => ({ agnhost: agnhost(programs) });
