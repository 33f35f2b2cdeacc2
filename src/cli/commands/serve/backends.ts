import { UserError } from '../../../base/input/user-error.js';
import { SimulatedNetwork } from '../../../base/network/network.js';
import { createRealNetwork } from '../../../base/network/real-network.js';
import { invalid } from '../../../cri/errors.js';
import type { Origin, RuntimeOrigin } from '../../../runtime/assembly/origin.js';
import type { RemoteTarget } from '../../../runtime/assembly/remote-target.js';
import type { Backend } from '../../../runtime/engine/backend.js';
import type { BackendContext } from './backend-context.js';
import { checkPluginSettings } from './plugin-settings.js';
import type { BackendName, ServeSettings } from './settings.js';

/** The service that answers calls; `discover` exists for a runtime in another process. */
export type Backing = Origin & Partial<Pick<RemoteTarget, 'discover'>>;

type OpenBackend = (settings: ServeSettings, context: BackendContext) => Promise<Backing>;

/** Starters of backends; each backend is loaded only when it is selected. */
const backends: Readonly<Record<BackendName, OpenBackend>> = {
  memory: openMemory,
  docker: async (settings, context) => {
    const { createDockerBackend } = await import('../../../../adapters/docker/docker-backend.js').catch(
      needsDockerode,
    );
    const backend = await createDockerBackend({
      ...context,
      host: settings['docker-host'],
      certificates: settings['docker-cert-path'],
      sandboxImage: settings['docker-sandbox-image'],
      network: settings['docker-network'],
    });
    return openEngine(backend, settings, context);
  },
  remote: async (settings) => {
    const endpoint = settings['remote-endpoint'];
    if (settings.profile !== 'strict')
      throw invalid(`--profile ${settings.profile}: backend remote answers as the runtime behind does`);
    if (settings.latency !== undefined)
      throw invalid('--latency: backend remote takes as long as the runtime behind does');
    if (endpoint === undefined)
      throw invalid('backend remote needs --remote-endpoint, such as unix:///run/containerd/containerd.sock');
    const [{ createRemoteService }, { remoteOrigin }] = await Promise.all([
      import('../../../../adapters/remote/remote-service.js'),
      import('../../../runtime/assembly/remote-target.js'),
    ]);
    return remoteOrigin(createRemoteService(endpoint));
  },
  tape: async (settings, context) => {
    const { openTapeBackend } = await import('./tape-backend.js');
    return openTapeBackend(settings, context, openMemory);
  },
};

/** The second code is that of the bundle, which is CommonJS. */
const NOT_FOUND = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'];

/** Dockerode needs ssh2 with native parts, so only users of Docker install it. */
function needsDockerode(error: NodeJS.ErrnoException): never {
  if (!NOT_FOUND.includes(error.code ?? '') || !error.message.includes("'dockerode'")) throw error;
  throw new UserError(
    '--backend docker needs the package dockerode, which is not installed with mockri: run npm install dockerode@5',
  );
}

async function openMemory(settings: ServeSettings, context: BackendContext): Promise<RuntimeOrigin> {
  const { createMemoryBackend } = await import('../../../../adapters/memory/memory-backend.js');
  const real = createRealNetwork(settings['real-network']);
  const backend = createMemoryBackend({
    ...context,
    network: new SimulatedNetwork({ clock: context.clock, real }),
    place: settings.listen,
    behaviors: settings.behaviors.map(({ match, behavior }) => ({ match, behaviors: behavior })),
    pulls: settings.images,
    presentImages: settings['present-images'],
    pullLatency: settings['pull-latency'],
    unknownImages: settings['unknown-images'],
  });
  return openEngine(backend, settings, context);
}

async function openEngine(
  backend: Backend,
  settings: ServeSettings,
  context: BackendContext,
): Promise<RuntimeOrigin> {
  const [{ openRuntime }, { runtimeOptions }] = await Promise.all([
    import('../../../runtime/assembly/origin.js'),
    import('./runtime-options.js'),
  ]);
  return openRuntime({ backend, ...runtimeOptions(settings, context) });
}

/** Starts the selected backend. Throws InputError or CriError with the name of the invalid option. */
export async function openBackend(settings: ServeSettings, context: BackendContext): Promise<Backing> {
  checkPluginSettings(settings);
  return await backends[settings.backend](settings, context);
}
