import {
  type OriginOptions,
  openRuntime,
  type RuntimeOrigin,
  timedBackend,
} from '../../../assembly/origin.js';
import { openDevices } from '../../../cdi/devices.js';
import { launchPlugins } from '../../../nri/launch.js';
import { withNri } from '../../../nri/nri-backend.js';
import type { HostOptions, NriLog } from '../../../nri/options.js';
import { withDevices } from '../../../profiles/with-devices.js';
import { openListener } from '../../../server/listener.js';
import { pipeOf } from '../../../ttrpc/pipe.js';
import type { BackendContext } from './backend-context.js';
import type { ServeSettings } from './settings.js';

/** A runtime whose operations node resource plugins see, and whose containers get CDI devices. Those that it starts itself are there when it resolves. */
export async function openWithPlugins(
  options: OriginOptions,
  settings: ServeSettings,
  { clock, warn, inform }: BackendContext,
): Promise<RuntimeOrigin> {
  const log: NriLog = {
    info: (message) => inform(`NRI: ${message}`),
    warn: (message) => warn(`NRI: ${message}`, undefined),
  };
  const hostOptions: HostOptions = {
    clock,
    log,
    runtime: runtimeOf(options),
    registrationTimeout: settings['nri-registration-timeout'],
    requestTimeout: settings['nri-request-timeout'],
  };
  const { 'nri-socket': path, 'nri-plugin': directory, 'cdi-spec-dir': cdiDirectories } = settings;
  const cdi =
    cdiDirectories.length === 0
      ? undefined
      : openDevices(cdiDirectories, (message) => warn(`CDI: ${message}`, undefined));
  const { backend, host } = withNri(timedBackend(options), { ...hostOptions, cdi });
  const profile = cdi === undefined ? options.profile : options.profile && withDevices(options.profile);
  const origin = await openRuntime({ ...options, profile, backend, latency: undefined });
  let kill = () => {};
  const close = async () => {
    await origin.close();
    kill();
  };
  try {
    if (directory !== undefined) kill = await launchPlugins(directory, host, log);
    const mode = Number.parseInt(settings['socket-mode'], 8);
    const listener =
      path === undefined
        ? undefined
        : await openListener({ kind: 'unix', path }, mode, (socket) => void host.connect(pipeOf(socket)));
    return {
      ...origin,
      close: async () => {
        await listener?.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The name and version that plugins learn: of the runtime that is simulated, such as `containerd` and `v2.4`. */
function runtimeOf({ profile, backend }: OriginOptions): HostOptions['runtime'] {
  const [, name, version] = /^(.+)-([\d.]+)$/.exec(profile?.name ?? '') ?? [];
  return name === undefined ? backend.info : { name, version: `v${version}` };
}
