import { CriError } from '../../cri/errors.js';
import { type RuntimeHandler, StatusResponse } from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import type { Call, CriService } from '../../cri/service.js';

/** Labels that the kubelet gives a pod, and CRI-O if it doesn't (server/sandbox_run.go). */
const LABELS = {
  name: 'io.kubernetes.pod.name',
  namespace: 'io.kubernetes.pod.namespace',
  uid: 'io.kubernetes.pod.uid',
} as const;

/** Of a sandbox's own container. */
const CONTAINER_NAME = { 'io.kubernetes.container.name': 'POD' };

/** Where CRI-O answers otherwise than the engine, with its default config. */
export const crioReplies =
  (version: string): Layer =>
  (engine) => ({
    ...engine,
    version: () => ({
      version: '0.1.0',
      runtimeName: 'cri-o',
      runtimeVersion: version,
      runtimeApiVersion: 'v1',
    }),
    status: async (request, call) => {
      const given = await engine.status(request, call);
      const reply = Buffer.isBuffer(given) ? StatusResponse.decode(given) : given;
      return { ...reply, features: FEATURES };
    },
    // A repeated request is answered with what the first one made.
    runPodSandbox: async (request, call) => {
      try {
        return await engine.runPodSandbox(withLabels(request), call);
      } catch (error) {
        const holder = holderOf(error);
        if (holder === undefined || !(await hasSandbox(engine, holder, call))) throw error;
        return { podSandboxId: holder };
      }
    },
    createContainer: async (request, call) => {
      try {
        return await engine.createContainer(request, call);
      } catch (error) {
        const holder = holderOf(error);
        if (holder === undefined || !(await hasContainer(engine, holder, call))) throw error;
        return { containerId: holder };
      }
    },
    // Any id that names no sandbox counts as one that is gone, a prefix of two as well.
    stopPodSandbox: (request, call) => orGone(() => engine.stopPodSandbox(request, call)),
    removePodSandbox: (request, call) => orGone(() => engine.removePodSandbox(request, call)),
    // The runtime's monitor ends the command.
    execSync: async (request, call) => {
      try {
        return await engine.execSync(request, call);
      } catch (error) {
        if (!(error instanceof CriError && error.kind === 'timeout')) throw error;
        return { stdout: Buffer.alloc(0), stderr: Buffer.from('command timed out'), exitCode: -1 };
      }
    },
    // enable_pod_events is off.
    getContainerEvents: async function* () {},
    // included_pod_metrics is empty.
    listPodSandboxMetrics: () => ({ podMetrics: [] }),
    checkpointContainer: () => {
      throw new CriError('internal', 'checkpoint/restore support not available');
    },
    updateRuntimeConfig: () => ({}),
  });

const FEATURES = { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false };

/** The default runtime has a name too. */
export const crioHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => (handler.name === '' ? [{ ...handler, name: 'crun' }, handler] : [handler]));

type RunRequest = Parameters<CriService['runPodSandbox']>[0];

function withLabels(request: RunRequest): RunRequest {
  const { config } = request;
  if (config?.metadata === undefined) return request;
  const { metadata, labels } = config;
  const missing = Object.entries(LABELS).filter(([, label]) => labels[label] === undefined);
  const added = Object.fromEntries(
    missing.map(([field, label]) => [label, metadata[field as keyof typeof LABELS]]),
  );
  return { ...request, config: { ...config, labels: { ...labels, ...added, ...CONTAINER_NAME } } };
}

/** Who has the name that an error is about. */
const holderOf = (error: unknown): string | undefined =>
  error instanceof CriError && error.problem?.name === 'name-taken' ? error.problem.holder : undefined;

const hasSandbox = (engine: CriService, podSandboxId: string, call: Call): Promise<boolean> =>
  succeeds(() => engine.podSandboxStatus({ podSandboxId, verbose: false }, call));

const hasContainer = (engine: CriService, containerId: string, call: Call): Promise<boolean> =>
  succeeds(() => engine.containerStatus({ containerId, verbose: false }, call));

async function succeeds(work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}

async function orGone<T>(work: () => T | Promise<T>): Promise<T | Record<string, never>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CriError && error.problem?.name === 'ambiguous-id') return {};
    throw error;
  }
}
