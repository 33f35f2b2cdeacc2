import type { Clock } from '../../clock/clock.js';
import { invalid } from '../../cri/errors.js';
import type { CriService } from '../../cri/service.js';
import type { Runtime } from '../../engine/runtime.js';
import { readEndpoint } from '../endpoint-option.js';
import type { ServeSettings } from './settings.js';

/** What answers the calls. */
export interface Serving {
  readonly service: CriService;
  /** Undefined when the state is elsewhere. */
  readonly runtime?: Runtime;
  /** Whether requests are to be forwarded as they are. */
  readonly lazyRequests: boolean;
  close(): Promise<void>;
}

/** What every backend is started with. */
export interface BackendContext {
  readonly clock: Clock;
  /** Told what goes wrong where no client waits for an answer. */
  readonly warn: (message: string, error: unknown) => void;
}

/** What `--backend` may be. */
export const backendNames = ['memory', 'docker', 'remote'] as const;

/** One of `backendNames`. */
export type BackendName = (typeof backendNames)[number];

type OpenBackend = (settings: ServeSettings, context: BackendContext) => Promise<Serving>;

/** Starts what is behind the server; each backend is loaded only when it is chosen. */
const backends: Readonly<Record<BackendName, OpenBackend>> = {
  memory: async (settings, context) => {
    const [{ createMemoryBackend }, { openRuntime }] = await Promise.all([
      import('../../../adapters/memory/memory-backend.js'),
      import('./open-runtime.js'),
    ]);
    const backend = createMemoryBackend({
      ...context,
      place: settings.listen,
      behaviors: settings.behaviors.map(({ match, behavior }) => ({ match, behaviors: behavior })),
      pulls: settings.images,
      pullLatency: settings['pull-latency'],
    });
    return openRuntime(backend, settings, context);
  },
  docker: async (settings, context) => {
    const [{ createDockerBackend }, { openRuntime }] = await Promise.all([
      import('../../../adapters/docker/docker-backend.js'),
      import('./open-runtime.js'),
    ]);
    const backend = await createDockerBackend({
      ...context,
      host: settings['docker-host'],
      certificates: settings['docker-cert-path'],
      sandboxImage: settings['docker-sandbox-image'],
      network: settings['docker-network'],
    });
    return openRuntime(backend, settings, context);
  },
  remote: async (settings) => {
    const endpoint = settings['remote-endpoint'];
    if (endpoint === undefined)
      throw invalid('backend remote needs --remote-endpoint, such as unix:///run/containerd/containerd.sock');
    const { createRemoteService } = await import('../../../adapters/remote/remote-service.js');
    const { service, close } = createRemoteService(readEndpoint(endpoint, '--remote-endpoint'));
    return { service, lazyRequests: true, close: async () => close() };
  },
};

/** Starts the backend that the settings name. Throws InputError or CriError, with the option that is wrong. */
export const openBackend = (settings: ServeSettings, context: BackendContext): Promise<Serving> =>
  backends[settings.backend](settings, context);
