import { afterEach } from 'vitest';
import { CallError } from '../../../src/cri/client/call-error.js';
import { type Mockri, type MockriOptions, startMockri } from '../../../src/testing/index.js';

const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

/** Servers that are closed after each test. */
export function useMockri(): (options?: MockriOptions) => Promise<Mockri> {
  const running: Mockri[] = [];
  afterEach(async () => {
    for (const mockri of running.splice(0)) await mockri.close();
  });
  return async (options) => {
    const mockri = await startMockri(options);
    running.push(mockri);
    return mockri;
  };
}

export interface StartedPod {
  readonly podSandboxId: string;
  readonly containerId: string;
}

export function createPod(mockri: Mockri, name: string, app = 'app'): Promise<StartedPod> {
  return mockri.runUntil(create(mockri, name, app));
}

async function create({ client }: Mockri, name: string, app: string): Promise<StartedPod> {
  const sandboxConfig = {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 },
    linux: {},
  };
  const { podSandboxId } = await client.runPodSandbox({ config: sandboxConfig });
  await client.pullImage({ image: { image: IMAGE } });
  const config = {
    metadata: { name: app, attempt: 0 },
    image: { image: IMAGE },
    command: ['sleep', '3600'],
    linux: {},
  };
  const { containerId } = await client.createContainer({ podSandboxId, config, sandboxConfig });
  return { podSandboxId, containerId };
}

export async function startPod(mockri: Mockri, name: string, app = 'app'): Promise<StartedPod> {
  const pod = await createPod(mockri, name, app);
  await mockri.runUntil(mockri.client.startContainer({ containerId: pod.containerId }));
  return pod;
}

/** Result of a call: `OK`, or `CODE text`. */
export async function ending(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'OK';
  } catch (error) {
    if (error instanceof CallError) return `${error.codeName} ${error.details}`;
    throw error;
  }
}
