import { NamespaceMode, PodSandboxState } from '../../cri/gen/runtime/v1/api.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';

export interface SandboxDecision {
  readonly attempt: number;
  /** Id of the newest sandbox; empty without one, or when it must not be killed as changed. */
  readonly id: string;
  readonly problem: string | undefined;
}

/**
 * PodSandboxChanged (kuberuntime/util/util.go). If a runtime omits the network namespace mode, or returns an empty IP
 * instead of no network, every sync creates a new sandbox.
 */
export function decideSandbox(pod: Pod, { sandboxes }: RuntimePodStatus): SandboxDecision {
  const newest = sandboxes[0];
  if (newest === undefined) return { attempt: 0, id: '', problem: 'no pod sandbox exists' };
  const attempt = newest.metadata?.attempt ?? 0;
  const ready = sandboxes.filter((sandbox) => sandbox.state === PodSandboxState.SANDBOX_READY);
  if (ready.length > 1) {
    const problem = 'multiple pod sandboxes are ready and need to be reconciled';
    return { attempt: attempt + 1, id: newest.id, problem };
  }
  if (newest.state !== PodSandboxState.SANDBOX_READY)
    return { attempt: attempt + 1, id: newest.id, problem: 'pod sandbox is not ready' };
  const wanted = pod.spec.hostNetwork ? NamespaceMode.NODE : NamespaceMode.POD;
  if ((newest.linux?.namespaces?.options?.network ?? NamespaceMode.POD) !== wanted) {
    const problem = 'network namespace mode changed and sandbox needs to be recreated';
    return { attempt: attempt + 1, id: '', problem };
  }
  if (!pod.spec.hostNetwork && newest.network?.ip === '')
    return { attempt: attempt + 1, id: newest.id, problem: 'pod sandbox has no IP address' };
  return { attempt, id: newest.id, problem: undefined };
}
