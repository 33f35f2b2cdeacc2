import { type Account, openAccounts } from '../../base/input/account.js';
import { openDevices } from '../cdi/devices.js';
import { eventNames, replyOf } from '../nri/events.js';
import type { NriHost } from '../nri/host.js';
import { launchPlugins } from '../nri/launch.js';
import { withNri } from '../nri/nri-backend.js';
import type { NriLog } from '../nri/options.js';
import { withDevices } from '../profiles/with-devices.js';
import { openListener } from '../server/listener.js';
import { pipeOf } from '../ttrpc/pipe.js';
import { type OriginOptions, openRuntime, type RuntimeOrigin, timedBackend } from './origin.js';
import type { PluginWatch, RuntimePlugins } from './plugins.js';

export interface PluginOptions {
  readonly socket?: string | undefined;
  readonly socketMode?: number | undefined;
  /** With the programs of plugins to start. */
  readonly directory?: string | undefined;
  /** In ms. */
  readonly registrationTimeout?: number | undefined;
  /** In ms. */
  readonly requestTimeout?: number | undefined;
  /** The last one has precedence; without any, CDI devices have no effect. */
  readonly cdiDirectories?: readonly string[] | undefined;
  readonly log: NriLog;
}

export async function openWithPlugins(given: OriginOptions, places: PluginOptions): Promise<RuntimeOrigin> {
  const { accounts = openAccounts() } = given;
  const options = { ...given, accounts };
  const { log, registrationTimeout, requestTimeout, cdiDirectories = [] } = places;
  const cdi =
    cdiDirectories.length === 0
      ? undefined
      : openDevices(cdiDirectories, (message) => log.warn(`CDI: ${message}`));
  let watch: PluginWatch | undefined;
  const changed = new Set<() => void>();
  const { backend, host, adjusted } = withNri(timedBackend(options), {
    clock: options.clock,
    accounts,
    log,
    runtime: options.profile?.runtime ?? options.backend.info,
    rules: options.profile?.nri,
    registrationTimeout,
    requestTimeout,
    cdi,
    faults: () => watch?.faults,
    onCall: (call) => watch?.onCall?.(call),
    onPlugin: (step) => {
      watch?.onPlugin?.(step);
      for (const listener of changed) listener();
    },
  });
  const profile = cdi === undefined ? options.profile : options.profile && withDevices(options.profile);
  const origin = await openRuntime({ ...options, profile, backend, latency: undefined });
  if (places.socket === undefined && places.directory === undefined) return origin;
  const use = (given: PluginWatch) => {
    watch = given;
  };
  const onChange = (listener: () => void) => {
    changed.add(listener);
    return () => changed.delete(listener);
  };
  const plugins = {
    ...takingIn(host, { ...places, account: accounts.plugins }, use),
    adjusted,
    replyOf,
    onChange,
  };
  return {
    ...origin,
    plugins,
    close: async () => {
      await origin.close();
      await plugins.suspend();
    },
  };
}

function takingIn(
  host: NriHost,
  places: PluginOptions & { readonly account: Account },
  use: (watch: PluginWatch) => void,
): Omit<RuntimePlugins, 'adjusted' | 'replyOf' | 'onChange'> {
  let suspend = async () => {};
  const resume = async () => {
    suspend = await takeIn(host, places);
  };
  return {
    start: async (watch) => {
      use(watch);
      await resume();
    },
    suspend: () => suspend(),
    resume,
    connected: () =>
      host.plugins.map(({ index, base, events }) => ({ index, name: base, events: eventNames(events) })),
  };
}

/** Starts the plugins of the directory, and listens for others. The returned function disconnects all of them. */
async function takeIn(
  host: NriHost,
  {
    socket: path,
    socketMode = 0o660,
    directory,
    account,
    log,
  }: PluginOptions & { readonly account: Account },
) {
  const kill = directory === undefined ? () => {} : await launchPlugins(directory, host, log);
  const end = () => {
    host.disconnect();
    kill();
  };
  try {
    const listener =
      path === undefined
        ? undefined
        : await openListener(
            { kind: 'unix', path },
            socketMode,
            (socket) => void host.connect(pipeOf(socket, account)),
          );
    return async () => {
      end();
      await listener?.close();
    };
  } catch (error) {
    end();
    throw error;
  }
}
