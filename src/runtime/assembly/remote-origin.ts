import type { CriService } from '../../cri/service.js';
import type { Origin } from './origin.js';
import { type RemoteTarget, remoteTarget } from './remote-target.js';

export interface RemoteOrigin extends Origin, Pick<RemoteTarget, 'discover'> {}

/** Wraps a service that forwards to a runtime in another process, such as containerd. */
export function remoteOrigin(remote: { readonly service: CriService; close(): void }): RemoteOrigin {
  const { service } = remote;
  return { service, ...remoteTarget(service), forwards: true, close: async () => remote.close() };
}
