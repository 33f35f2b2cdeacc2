import type { Call } from '../../../src/cri/service.js';
import type { UnaryName } from '../decoded.js';
import { type Mutant, mutant, refuse, sleep } from './mutant.js';

/** What a request is about. */
const subjectOf = (request: object): string => {
  const { containerId, podSandboxId, image, config } = request as {
    readonly containerId?: string;
    readonly podSandboxId?: string;
    readonly image?: object;
    readonly config?: { readonly metadata?: object };
  };
  return containerId ?? podSandboxId ?? JSON.stringify(image ?? config?.metadata);
};

type Serve = (request: object, call: Call) => Promise<object>;

/** The RPC takes a while; once a client has cancelled it, it is refused forever. */
function neverAgain(method: UnaryName): Mutant {
  const rpc = `${method.slice(0, 1).toUpperCase()}${method.slice(1)}`;
  return mutant(`${rpc} is refused forever once it was cancelled`, `INV-17.${rpc}`, (real) => {
    const stuck = new Set<string>();
    const serve: Serve = async (request, call) => {
      const subject = subjectOf(request);
      if (stuck.has(subject)) refuse(2, 'in another state');
      call.signal.addEventListener('abort', () => stuck.add(subject), { once: true });
      await sleep(30);
      return call.signal.aborted ? refuse(1) : (real[method] as Serve)(request, call);
    };
    return { [method]: serve };
  });
}

export const cancelledMutants: readonly Mutant[] = [
  neverAgain('runPodSandbox'),
  neverAgain('startContainer'),
  neverAgain('removeContainer'),
  neverAgain('stopPodSandbox'),
  neverAgain('removePodSandbox'),
  neverAgain('updateContainerResources'),
  neverAgain('updatePodSandboxResources'),
  neverAgain('reopenContainerLog'),
  neverAgain('pullImage'),
  neverAgain('removeImage'),
  neverAgain('checkpointContainer'),
  neverAgain('checkpointPod'),
];
