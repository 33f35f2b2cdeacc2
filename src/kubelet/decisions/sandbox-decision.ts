import { NamespaceMode, PodSandboxState } from '../../cri/gen/runtime/v1/api.js';
import type { Pod } from '../../kubernetes/pod.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';

/** Result of `decideSandbox`. */
export interface SandboxDecision {
  readonly changed: boolean;
  /** Of the sandbox to create, or of the existing one. */
  readonly attempt: number;
  /** Of the newest sandbox; empty when there is none, or when it must not be killed as changed. */
  readonly id: string;
}

/**
 * PodSandboxChanged (kuberuntime/util/util.go). If a runtime does not return the network namespace mode, or returns
 * an empty IP instead of no network, every sync creates a new sandbox.
 */
export function decideSandbox(pod: Pod, { sandboxes }: RuntimePodStatus): SandboxDecision {
  const newest = sandboxes[0];
  if (newest === undefined) return { changed: true, attempt: 0, id: '' };
  const attempt = newest.metadata?.attempt ?? 0;
  const ready = sandboxes.filter((sandbox) => sandbox.state === PodSandboxState.SANDBOX_READY);
  if (ready.length > 1 || newest.state !== PodSandboxState.SANDBOX_READY) {
    return { changed: true, attempt: attempt + 1, id: newest.id };
  }
  const wanted = pod.spec.hostNetwork ? NamespaceMode.NODE : NamespaceMode.POD;
  if ((newest.linux?.namespaces?.options?.network ?? NamespaceMode.POD) !== wanted) {
    return { changed: true, attempt: attempt + 1, id: '' };
  }
  if (!pod.spec.hostNetwork && newest.network?.ip === '') {
    return { changed: true, attempt: attempt + 1, id: newest.id };
  }
  return { changed: false, attempt, id: newest.id };
}
