import type { Clock } from '../../../src/base/clock/clock.js';
import type { CriClient } from '../../../src/cri/client/client.js';
import { clientOf } from '../../../src/cri/client/in-process.js';
import type { CriService } from '../../../src/cri/service.js';

/** A call of the kubelet. The `scope` of a list is `all`, `alive` (READY sandboxes, RUNNING containers) or `pod`. */
export interface LoggedCall {
  readonly t: number;
  readonly rpc: string;
  readonly scope?: 'all' | 'alive' | 'pod' | undefined;
}

interface ListRequest {
  readonly filter?: { readonly state?: object; readonly labelSelector?: Readonly<Record<string, string>> };
}

type AnyCall = (request: unknown, options: unknown) => unknown;

/** Connects a kubelet and logs every call with its argument. */
export function loggingConnect(log: LoggedCall[]) {
  return async (service: CriService, clock: Clock): Promise<CriClient> => {
    const calls = Object.entries(clientOf(service, { clock, codeOf: () => 2 })) as [string, AnyCall][];
    const logged = calls.map(([name, call]): [string, AnyCall] => {
      const rpc = name.charAt(0).toUpperCase() + name.slice(1);
      const scope = (request: unknown) =>
        rpc.startsWith('List') ? scopeOf(request as ListRequest) : undefined;
      return [
        name,
        (request, options) => {
          log.push({ t: Math.round(clock.elapsed()) / 1000, rpc, scope: scope(request) });
          return call(request, options);
        },
      ];
    });
    return Object.fromEntries(logged) as CriClient;
  };
}

function scopeOf({ filter }: ListRequest): LoggedCall['scope'] {
  if (Object.keys(filter?.labelSelector ?? {}).length > 0) return 'pod';
  return filter?.state === undefined ? 'all' : 'alive';
}

/** Parses a line of the recording of the real kubelet's calls. */
export function fromRecording({ t, rpc, arg }: { t: number; rpc: string; arg: string }): LoggedCall {
  if (!rpc.startsWith('List')) return { t, rpc };
  if (arg.includes('io.kubernetes.pod.uid')) return { t, rpc, scope: 'pod' };
  return {
    t,
    rpc,
    scope: arg.includes('SANDBOX_READY') || arg.includes('CONTAINER_RUNNING') ? 'alive' : 'all',
  };
}

/** `ListPodSandbox{pod}` */
export const callText = ({ rpc, scope }: LoggedCall): string =>
  scope === undefined ? rpc : `${rpc}{${scope}}`;
