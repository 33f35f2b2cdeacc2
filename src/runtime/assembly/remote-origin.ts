import type { CriService } from '../../cri/service.js';
import type { Origin } from './origin.js';
import { type RemoteTarget, remoteTarget } from './remote-target.js';

/** An origin in another process. */
export interface RemoteOrigin extends Origin, Pick<RemoteTarget, 'discover'> {}

/** A runtime in another process, such as containerd, behind a service that forwards to it. */
export function remoteOrigin(remote: { readonly service: CriService; close(): void }): RemoteOrigin {
  const { service } = remote;
  return { service, ...remoteTarget(service), forwards: true, close: async () => remote.close() };
}
