import type {
  CreateContainerRequest,
  PodSandboxConfig,
  PullImageRequest,
  RunPodSandboxRequest,
} from '../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Exchange } from '../../tape/history/exchanges.js';
import type { Tracks } from '../../tape/history/tracks.js';
import { createHostPaths } from './host-paths.js';
import { freshUid, type Names } from './names.js';

/** A prepared request, or the reason why there is none. */
export type Prepared = { readonly request: object; readonly why?: undefined } | { readonly why: string };

/** Converts requests of the tape: ids, uids, host paths; omits redacted parts where possible. */
export function createRequests(tracks: Tracks, names: Names, directory: string) {
  const hostPaths = createHostPaths(directory, names);

  const sandboxConfig = (config: PodSandboxConfig | undefined): PodSandboxConfig | undefined => {
    const uid = config?.metadata?.uid ?? '';
    if (uid !== '' && names.liveOf(uid) === undefined) names.set(uid, freshUid(uid));
    return config && hostPaths.sandbox(config);
  };
  const special: Readonly<Record<string, (given: object) => object>> = {
    RunPodSandbox: (given) => {
      const request = given as RunPodSandboxRequest;
      return { ...request, config: sandboxConfig(request.config) };
    },
    CreateContainer: (given) => {
      const request = given as CreateContainerRequest;
      const { config, sandboxConfig: pod } = request;
      return {
        ...request,
        sandboxConfig: sandboxConfig(pod),
        config: config && hostPaths.container(config, pod),
      };
    },
    PullImage: (given) => {
      const request = given as PullImageRequest;
      const auth = Object.values(request.auth ?? {}).some(isRedacted) ? undefined : request.auth;
      return { ...request, auth, sandboxConfig: sandboxConfig(request.sandboxConfig) };
    },
  };

  return (exchange: Exchange): Prepared => {
    const { method, request } = exchange;
    const given = request.value<AnyRequest>();
    const why = missingObject(given, tracks, names);
    if (why !== undefined) return { why };
    if (method === 'ExecSync' && given.cmd?.some((word) => word.includes('redacted:')))
      return { why: 'its command is redacted' };
    return { request: names.toLive(special[method]?.(given) ?? given) };
  };
}

const isRedacted = (value: unknown): boolean => String(value).startsWith('redacted:');

function missingObject(request: AnyRequest, tracks: Tracks, names: Names): string | undefined {
  for (const [kind, id] of [
    ['pod', request.podSandboxId],
    ['container', request.containerId],
  ] as const) {
    if (!id || names.liveOf(id) !== undefined) continue;
    const isMade = tracks.get(kind, id)?.created !== undefined;
    return isMade ? `its ${kind} could not be made` : `no call on the tape makes its ${kind}`;
  }
  return undefined;
}
