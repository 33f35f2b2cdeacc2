import { CallError } from '../../../src/cri/client/call-error.js';
import type { CriClient } from '../../../src/cri/client/client.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';

/** The image that all containers have. */
export const IMAGE = { image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2' };

/** What one probe of a runtime's answers works with: its own pod. */
export interface Trial {
  readonly cri: CriClient;
  readonly config: PodSandboxConfig;
  /** Runs the pod; answers its id. */
  pod(): Promise<string>;
  /** Creates a container in it; answers its id. */
  create(podSandboxId: string, name: string, command?: readonly string[]): Promise<string>;
  /** A pod with a running container; answers its ids. */
  running(): Promise<{ readonly podSandboxId: string; readonly containerId: string }>;
}

/** A trial whose pod's name is `name`. */
export function createTrial(cri: CriClient, name: string): Trial {
  const config = {
    metadata: { name, uid: `uid-${name}`, namespace: 'profiles', attempt: 0 },
    linux: { securityContext: { namespaceOptions: { network: 2 } } },
  } as PodSandboxConfig;
  const pod = async () => (await cri.runPodSandbox({ config })).podSandboxId;
  const create: Trial['create'] = async (podSandboxId, container, command = ['sleep', '1000']) => {
    const given = { metadata: { name: container, attempt: 0 }, image: IMAGE, command };
    return (await cri.createContainer({ podSandboxId, config: given, sandboxConfig: config })).containerId;
  };
  return {
    cri,
    config,
    pod,
    create,
    running: async () => {
      const podSandboxId = await pod();
      const containerId = await create(podSandboxId, 'app');
      await cri.startContainer({ containerId });
      return { podSandboxId, containerId };
    },
  };
}

/** `NOT_FOUND: text` with ids and digests as words; `OK` for a success. */
export async function answerOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return `${error.codeName}: ${error.details.replace(/[0-9a-f]{64}/g, '<id>').replace(/pid [0-9]+/g, 'pid <n>')}`;
  }
}

/** Removes the pods that probes made. */
export async function cleanUp(cri: CriClient): Promise<void> {
  const { items } = await cri.listPodSandbox({});
  for (const { id, metadata } of items) {
    if (metadata?.namespace !== 'profiles' && metadata?.name !== '') continue;
    await cri.stopPodSandbox({ podSandboxId: id });
    await cri.removePodSandbox({ podSandboxId: id });
  }
}
