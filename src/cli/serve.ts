import { Command } from 'commander';
import type { Logger } from 'pino';
import { createRealClock } from '../clock/real-clock.js';
import type { Route } from '../control/route.js';
import type { CallRecord } from '../server/call-log.js';
import { type CriServer, startServer } from '../server/server.js';
import { codeNames } from '../server/status.js';
import { openBackend, type Serving } from './backends.js';
import { createLogger } from './logger.js';
import { addSettings, readSettings, type ServeSettings } from './serve-settings.js';

const EXAMPLES = `
Examples:
  $ mockri serve
  $ mockri serve --listen unix:///tmp/cri.sock --control 127.0.0.1:0 --log-level debug
  $ mockri serve --backend remote --remote-endpoint unix:///run/containerd/containerd.sock
  $ MOCKRI_LISTEN=unix:///tmp/cri.sock mockri serve --config mockri.yaml

When it serves, it prints one line of JSON: {"ready":true,"listen":"unix:///…","control":"http://…","pid":…}
Then, for instance:
  $ crictl -r unix:///tmp/mockri.sock pods
`;

/** `mockri serve`: a CRI endpoint, until SIGTERM or Ctrl-C. */
export function serveCommand(): Command {
  return addSettings(new Command('serve').description('serve the CRI on a socket'))
    .addHelpText('after', EXAMPLES)
    .action((flags) => serve(readSettings(flags, process.env)));
}

async function serve(settings: ServeSettings): Promise<void> {
  const log = await createLogger({ level: settings['log-level'], format: settings['log-format'] });
  const clock = createRealClock();
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
  const serving = await openBackend(settings, { clock, warn });
  const server = await startServer({
    service: serving.service,
    lazyRequests: serving.lazyRequests,
    clock,
    listen: settings.listen,
    socketMode: Number.parseInt(settings['socket-mode'], 8),
    apiLevel: settings['api-level'],
    describe: (_method, request) => subjectOf(serving, request),
    profile: settings.profile,
    callHistory: settings['call-history'],
    reflection: settings.reflection,
    onDefect: (id, error) => log.error({ id, err: error }, 'a call failed in a way it should not'),
  }).catch(async (error) => {
    await serving.close();
    throw error;
  });
  const control = await startControlApi(settings, server, serving, log).catch(async (error) => {
    await Promise.all([serving.close(), server.close()]);
    throw error;
  });
  if (log.isLevelEnabled('debug')) server.log.onCall((call) => log.debug(callFields(call), call.method));

  const stopped = untilStopped(log);
  const { endpoint } = server;
  const ready = { ready: true, listen: endpoint, control: control?.url ?? null, pid: process.pid };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  log.info({ listen: endpoint, control: control?.url }, 'ready');
  await stopped;
  await control?.close();
  await Promise.all([serving.close(), server.close()]);
  log.info('stopped');
}

/** Whom a request with an id is about. */
function subjectOf({ runtime }: Serving, request: { containerId?: string; podSandboxId?: string }) {
  const id = request.containerId || request.podSandboxId;
  return id ? runtime?.find(id) : undefined;
}

/** The routes are loaded with what they need; a control API that is off costs nothing. */
async function startControlApi(settings: ServeSettings, server: CriServer, serving: Serving, log: Logger) {
  if (settings.control === 'off') return undefined;
  const { startControl } = await import('../control/server.js');
  return startControl({
    listen: settings.control,
    allowRemote: settings['control-allow-remote'],
    routes: await controlRoutes(server, serving),
    onDefect: (error) => log.error({ err: error }, 'the control API failed in a way it should not'),
  });
}

async function controlRoutes(server: CriServer, { service, runtime }: Serving): Promise<Route[]> {
  const [routes, events] = await Promise.all([
    import('../control/routes.js'),
    import('../control/events.js'),
  ]);
  return [
    routes.healthRoute(),
    ...(runtime ? routes.runtimeRoutes(runtime) : []),
    ...routes.callRoutes(server.log),
    ...events.eventRoutes(server.log, service),
    ...routes.clockRoutes(createRealClock()),
    metricsRoute(server, runtime),
  ];
}

/** prom-client takes a while to load, and most servers are never asked for their metrics. */
function metricsRoute(server: CriServer, runtime: Serving['runtime']): Route {
  let made: Promise<Route> | undefined;
  const load = async () => {
    const { metricsRoute } = await import('../control/metrics.js');
    return metricsRoute(server.log, server.connections, runtime);
  };
  return {
    method: 'GET',
    path: '/metrics',
    handle: async (request) => {
      made ??= load();
      return (await made).handle(request);
    },
  };
}

const callFields = ({ code, duration, peer, faults, subject, details }: CallRecord): object => ({
  code: codeNames[code],
  ms: Math.round(duration * 1000) / 1000,
  peer,
  ...subject,
  ...(details && { details }),
  ...(faults.length > 0 && { faults }),
});

/** Resolves at the first SIGTERM or Ctrl-C; a second one ends the process at once. */
function untilStopped(log: Logger): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals) => {
      if (isStopping) process.exit(1);
      isStopping = true;
      log.info({ signal }, 'stopping: the calls under way may end');
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
