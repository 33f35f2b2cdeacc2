import { Command } from 'commander';
import type { Logger } from 'pino';
import { createRealClock } from '../../base/clock/real-clock.js';
import { boundGarbage } from '../../base/host/heap.js';
import { makeOwnDirectory } from '../../base/host/own-directory.js';
import { type Account, openAccounts } from '../../base/input/account.js';
import { spareInputs } from '../../base/input/spare-inputs.js';
import { assemble } from '../../runtime/assembly/assembly.js';
import { createTapeRecorder } from '../../runtime/assembly/tape-recorder.js';
import type { Controlled } from '../../runtime/control/control-routes.js';
import { createTape, listenTo } from '../../tape/tape.js';
import { TEMPORARY } from '../options/endpoint.js';
import { protoNotes } from '../options/proto.js';
import { type Running, untilStopped } from '../signals.js';
import { createLogger, logStop } from '../terminal/logger.js';
import { openBackend } from './serve/backends.js';
import { exitLater } from './serve/exit-later.js';
import { followFaultFiles } from './serve/fault-files.js';
import { loadTheRest } from './serve/load-the-rest.js';
import { callFields, faultFields } from './serve/log-fields.js';
import { addSettings, readSettings, type ServeSettings } from './serve/settings.js';

const EXAMPLES = `
Examples:
  $ mockri serve
  $ mockri serve --listen unix:///tmp/cri.sock --control 127.0.0.1:0 --log-level debug
  $ mockri serve --backend remote --remote-endpoint unix:///run/containerd/containerd.sock
  $ mockri serve --record run.tape.gz --keep env
  $ mockri serve --listen temporary --control 127.0.0.1:0 --exit-with-stdin
  $ MOCKRI_LISTEN=unix:///tmp/cri.sock mockri serve --config mockri.yaml

When the server is ready, it prints one line of JSON: {"ready":true,"listen":"unix:///…","control":"http://…","pid":…}
Then, for example:
  $ crictl -r unix:///tmp/mockri.sock pods
`;

/** `mockri serve`: a CRI endpoint that runs until SIGTERM or Ctrl-C. */
export function serveCommand(): Command {
  return addSettings(
    new Command('serve').description('serve the Container Runtime Interface (CRI) on a socket'),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (flags) => {
      const settings = readSettings(flags, process.env);
      await serve(await chooseSockets(settings));
    });
}

/** Replaces `temporary` with sockets in a new directory. */
async function chooseSockets(settings: ServeSettings): Promise<ServeSettings> {
  const { listen, 'nri-socket': plugins } = settings;
  if (listen !== TEMPORARY && plugins !== TEMPORARY) return settings;
  const { socket, pluginSocket } = await makeOwnDirectory();
  return {
    ...settings,
    ...(listen === TEMPORARY && { listen: `unix://${socket}` }),
    ...(plugins === TEMPORARY && { 'nri-socket': pluginSocket }),
  };
}

async function serve(settings: ServeSettings): Promise<void> {
  boundGarbage();
  const log = await createLogger({ level: settings['log-level'], format: settings['log-format'] });
  for (const each of settings.withoutEffect) log.warn(each);
  for (const each of await protoNotes()) log.info(each);
  await untilStopped(
    async ({ stopped, atEnd }) => {
      const { finishTape, ...ready } = await start(settings, log, atEnd);
      process.stdout.write(`${JSON.stringify({ ready: true, ...ready, pid: process.pid })}\n`);
      log.info({ ...ready, ...(ready.control !== null && { timeline: `${ready.control}/` }) }, 'ready');
      void loadTheRest(settings).then(
        () => log.debug('every part is loaded'),
        (error: unknown) => log.warn({ err: error }, 'a part cannot be loaded'),
      );
      await stopped;
      exitLater(createRealClock(), finishTape);
    },
    { withStdin: settings['exit-with-stdin'], onStop: logStop(log) },
  );
  log.info('stopped');
}

/** Starts all parts. `finishTape` ends the recording, and resolves when its file is complete. */
async function start(settings: ServeSettings, log: Logger, atEnd: Running['atEnd']) {
  spareInputs('--record', settings.record, [settings.tape]);
  const clock = createRealClock();
  const accounts = openAccounts(settings['memory-limit']);
  const warn = (message: string, error: unknown) => log.warn({ err: error }, message);
  const { seed } = settings;
  const origin = await openBackend(settings, {
    clock,
    accounts,
    warn,
    inform: (message) => log.info(message),
  });
  const tape = createTape(clock);
  const { faults, referee, serve, close } = assemble(origin, {
    clock,
    tape,
    warn,
    seed,
    canHold: settings.control !== 'off',
    referee: settings.referee,
  });
  const recorder = createTapeRecorder({
    tape,
    runtimes: [{ tape, origin }],
    about: {
      apiLevel: settings['api-level'],
      profile: settings.profile,
      ...(seed !== undefined && { seed: String(seed) }),
    },
    onFailure: (message) => log.error(message),
  });
  // Ends last, so that the tape has the end of every call.
  const finishTape = () => recorder.stop();
  atEnd(finishTape);
  atEnd(() => close());
  if (settings.record !== undefined)
    await recorder.start(settings.record, { keep: settings.keep, held: true });
  await origin.discover?.().catch((error: Error) => {
    log.warn(
      { endpoint: settings['remote-endpoint'], reason: error.message },
      'the runtime behind does not answer; until it does, calls fail with UNAVAILABLE',
    );
  });
  listenTo(tape, 'fault', (fault) => log.info(faultFields(fault), 'fault'));
  atEnd(followFaultFiles(settings.faults, { faults, clock, log, seed }));
  referee.onFinding(({ rule, message, id, peer }) => {
    log.warn({ rule, id, peer }, message);
    if (referee.mode === 'strict') process.exitCode = 1;
  });
  const server = await serve({
    listen: settings.listen,
    account: accounts.requests,
    socketMode: Number.parseInt(settings['socket-mode'], 8),
    apiLevel: settings['api-level'],
    callHistory: settings['call-history'],
    reflection: settings.reflection,
    onDefect: (id, error) => log.error({ id, err: error }, 'unexpected error in a call'),
    onLimit: (message, peer) => log.info({ peer }, message),
  });
  if (log.isLevelEnabled('debug')) server.log.onCall((call) => log.debug(callFields(call), call.method));
  const { service, runtime, plugins } = origin;
  const control = await startControlApi(
    settings,
    { server, service, runtime, plugins, faults, referee, clock, recorder },
    accounts.control,
    log,
  );
  if (control !== undefined) atEnd(control.close);
  recorder.current?.release();
  const { 'nri-socket': nri } = settings;
  return {
    listen: server.endpoint,
    control: control?.url ?? null,
    ...(nri !== undefined && { nri }),
    finishTape,
  };
}

async function startControlApi(
  settings: ServeSettings,
  controlled: Controlled,
  account: Account,
  log: Logger,
) {
  if (settings.control === 'off') return undefined;
  const [{ startControl }, { controlRoutes }] = await Promise.all([
    import('../../runtime/control/server.js'),
    import('../../runtime/control/control-routes.js'),
  ]);
  return startControl({
    listen: settings.control,
    allowRemote: settings['control-allow-remote'],
    hosts: settings['control-host'],
    routes: controlRoutes(controlled),
    account,
    onDefect: (error) => log.error({ err: error }, 'unexpected error in the control API'),
  });
}
