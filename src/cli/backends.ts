import { invalid } from '../cri/errors.js';
import type { CriService } from '../cri/service.js';
import type { Runtime } from '../engine/runtime.js';

/** What answers the calls. */
export interface Serving {
  readonly service: CriService;
  /** Undefined when the state is elsewhere. */
  readonly runtime?: Runtime;
  /** Whether requests are to be forwarded as they are. */
  readonly lazyRequests: boolean;
  close(): Promise<void>;
}

interface BackendSettings {
  readonly 'remote-endpoint'?: string | undefined;
}

export const backendNames = ['remote'] as const;

export type BackendName = (typeof backendNames)[number];

/** Starts what is behind the server; each backend is loaded only when it is chosen. */
const backends: Readonly<Record<BackendName, (settings: BackendSettings) => Promise<Serving>>> = {
  remote: async (settings) => {
    const endpoint = settings['remote-endpoint'];
    if (endpoint === undefined)
      throw invalid('backend remote needs --remote-endpoint, such as unix:///run/containerd/containerd.sock');
    const { createRemoteService } = await import('../../adapters/remote/remote-service.js');
    const { service, close } = createRemoteService(endpoint);
    return { service, lazyRequests: true, close: async () => close() };
  },
};

export const openBackend = (name: BackendName, settings: BackendSettings): Promise<Serving> =>
  backends[name](settings);
