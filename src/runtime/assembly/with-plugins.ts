import { type Account, openAccounts } from '../../base/input/account.js';
import { openDevices } from '../cdi/devices.js';
import { eventNames, replyOf } from '../nri/events.js';
import type { NriHost } from '../nri/host.js';
import { launchPlugins } from '../nri/launch.js';
import { withNri } from '../nri/nri-backend.js';
import type { RuntimeProfile } from '../profiles/profile.js';
import { openListener } from '../server/listener.js';
import { pipeOf } from '../ttrpc/pipe.js';
import type { PluggedOptions, PluginOptions, PluginWatch, RuntimePlugins } from './plugins.js';

/** Puts plugins and CDI devices in front of the backend. */
export function withPlugins(given: PluggedOptions, places: PluginOptions): PluggedOptions {
  const { accounts = openAccounts() } = given;
  const { log, registrationTimeout, requestTimeout, cdiDirectories = [] } = places;
  const cdi =
    cdiDirectories.length === 0
      ? undefined
      : openDevices(cdiDirectories, (message) => log.warn(`CDI: ${message}`));
  let watch: PluginWatch | undefined;
  const changed = new Set<() => void>();
  const { backend, host, adjusted } = withNri(given.backend, {
    clock: given.clock,
    accounts,
    log,
    runtime: given.profile?.runtime ?? given.backend.info,
    rules: given.profile?.nri,
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
  const profile = cdi === undefined ? given.profile : given.profile && withDevices(given.profile);
  const options = { ...given, accounts, profile, backend };
  if (places.socket === undefined && places.directory === undefined) return options;
  const use = (started: PluginWatch) => {
    watch = started;
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
  return { ...options, plugins };
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

/** A profile of a runtime on a host with CDI devices: later code finds out whether a device exists. */
function withDevices(profile: RuntimeProfile): RuntimeProfile {
  const { checks } = profile.rules;
  if (checks === undefined) return profile;
  const container: typeof checks.container = (config, ...rest) =>
    checks.container({ ...config, CDIDevices: [] }, ...rest);
  return { ...profile, rules: { ...profile.rules, checks: { ...checks, container } } };
}
