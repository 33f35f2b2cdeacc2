import { CallError } from '../../../src/cri/client/call-error.js';
import type { CriClient } from '../../../src/cri/client/client.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { timedOperations } from '../../../src/runtime/profiles/latency/latency.js';

/** The image of all containers. */
export const IMAGE = { image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2' };

/** Only this operation takes time, so that two concurrent ones overlap. */
export const SHORT_TIMES = {
  ...Object.fromEntries(timedOperations.map((operation) => [operation, ['0s']])),
  startContainer: ['5ms'],
  removeContainer: ['5ms'],
  removeSandbox: ['20ms'],
};

/** The pod of one probe, and its client. */
export interface PodFixture {
  readonly cri: CriClient;
  readonly config: PodSandboxConfig;
  /** Runs the pod; resolves with its id. */
  pod(): Promise<string>;
  /** Creates a container in it; resolves with its id. */
  create(podSandboxId: string, name: string, command?: readonly string[]): Promise<string>;
  /** A pod with a running container; resolves with its ids. */
  running(): Promise<{ readonly podSandboxId: string; readonly containerId: string }>;
}

/** A fixture whose pod's name is `name`. */
export function createPodFixture(cri: CriClient, name: string): PodFixture {
  const config = {
    metadata: { name, uid: `uid-${name}`, namespace: 'profiles', attempt: 0 },
    linux: { securityContext: { namespaceOptions: { network: 2 } } },
  } as PodSandboxConfig;
  const pod = async () => (await cri.runPodSandbox({ config })).podSandboxId;
  const create: PodFixture['create'] = async (podSandboxId, container, command = ['sleep', '1000']) => {
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

/** A container of the fixture with these changes, and its id. */
export async function createWith(
  { cri, config, pod }: PodFixture,
  changes: object,
  sandboxConfig: object = config,
) {
  const podSandboxId = await pod();
  const given = {
    metadata: { name: 'app', attempt: 0 },
    image: IMAGE,
    command: ['sleep', '1000'],
    ...changes,
  };
  const { containerId } = await cri.createContainer({ podSandboxId, config: given, sandboxConfig });
  return { podSandboxId, containerId };
}

/** Parts of texts that depend on the run or on the runtime's directories. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{64}/g, '<id>'],
  [/pid [0-9]+/g, 'pid <n>'],
  // From runc, whose output CRI-O shows; its warnings depend on the machine.
  [/time="[^"]*" level=warning msg="(?:[^"\\]|\\.)*"\n/g, ''],
  [/time="[^"]*"/g, 'time="<time>"'],
  [/`\S*\/runc --root \S+ /g, '`<runc> '],
  [/\[overlay@[^\]]*\]/g, '[<storage>]'],
  [/:0x[0-9a-f]+/g, ':<address>'],
  // From a runtime that has ended.
  [/read ECONNRESET$/, 'EOF'],
];

/** `NOT_FOUND: text` with placeholders for changing parts; `OK` for a success. */
export async function answerOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const text = CHANGING.reduce((shown, [what, word]) => shown.replace(what, word), error.details);
    return `${error.codeName}: ${text}`;
  }
}

/** Removes the probes' pods. */
export async function cleanUp(cri: CriClient): Promise<void> {
  const { items } = await cri.listPodSandbox({});
  for (const { id, metadata } of items) {
    if (metadata?.namespace !== 'profiles' && metadata?.name !== '') continue;
    await cri.stopPodSandbox({ podSandboxId: id });
    await cri.removePodSandbox({ podSandboxId: id });
  }
}
