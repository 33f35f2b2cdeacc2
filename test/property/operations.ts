import fc from '../support/properties.js';
import { type Behavior, INJECTED, type Model, type Operation, type Outcome } from './model.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

const PODS = 3;
const NAMES = ['app', 'sidecar'] as const;

/** An operation on the objects that exist when it runs: indexes instead of ids. */
export interface Intent {
  readonly type: Operation['type'];
  readonly pod: number;
  readonly name: number;
  /** Index of the pod's container, modulo their number. */
  readonly container: number;
  readonly behavior: Behavior;
  readonly timeout: number;
  /** The client cancels immediately, or later. */
  readonly cancel: 'never' | 'at once' | 'later';
}

const types: fc.Arbitrary<Operation['type']> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('run' as const) },
  { weight: 6, arbitrary: fc.constant('create' as const) },
  { weight: 6, arbitrary: fc.constant('start' as const) },
  { weight: 3, arbitrary: fc.constantFrom('stop' as const, 'exit' as const) },
  { weight: 3, arbitrary: fc.constantFrom('remove' as const, 'exec' as const, 'update' as const) },
  { weight: 1, arbitrary: fc.constantFrom('stopPod' as const, 'removePod' as const) },
  { weight: 1, arbitrary: fc.constantFrom('pull' as const, 'removeImage' as const) },
);

export const intents: fc.Arbitrary<Intent> = fc.record({
  type: types,
  pod: fc.nat(PODS - 1),
  name: fc.nat(NAMES.length - 1),
  container: fc.nat(5),
  behavior: fc.constantFrom('steady', 'steady', 'stubborn', 'ends', 'missing'),
  timeout: fc.constantFrom(0, 2),
  cancel: fc.oneof(
    { weight: 20, arbitrary: fc.constant('never' as const) },
    { weight: 1, arbitrary: fc.constantFrom('at once' as const, 'later' as const) },
  ),
});

/** Includes ids of removed objects: stop and remove must accept them. */
export function resolve(intent: Intent, model: Model, gone: readonly string[]): Operation {
  const pod = [...model.pods.values()].find((candidate) => candidate.pod === intent.pod);
  const absent = gone[intent.container % Math.max(1, gone.length)] ?? '5d4f0f1e-0d3c-4d0e-8a6e-7b1f3c2d9e00';
  const podId = pod?.id ?? absent;
  const containers = [...model.containers.values()].filter((candidate) => candidate.podId === podId);
  const id = containers[intent.container % Math.max(1, containers.length)]?.id ?? absent;
  const { type, behavior, timeout } = intent;
  switch (type) {
    case 'run':
      return { type, pod: intent.pod };
    case 'stopPod':
    case 'removePod':
      return { type, id: podId };
    case 'create':
      return { type, podId, name: NAMES[intent.name] ?? 'app', behavior };
    case 'stop':
      return { type, id, timeout };
    case 'pull':
    case 'removeImage':
      return { type };
    default:
      return { type, id };
  }
}

/** Sends the operation's request. */
export async function perform(
  runtime: RuntimeUnderTest,
  operation: Operation,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    return { ok: await runtime.run(() => request(runtime, operation, signal)) };
  } catch (error) {
    return { error: runtime.kindOf(error) };
  }
}

async function request(
  runtime: RuntimeUnderTest,
  operation: Operation,
  signal: AbortSignal,
): Promise<string> {
  const { cri } = runtime;
  const options = { signal };
  switch (operation.type) {
    case 'run':
      return (await cri.runPodSandbox({ config: podConfig(operation.pod) }, options)).podSandboxId;
    case 'create': {
      const { podId, name, behavior } = operation;
      const config = containerConfig(runtime, name, behavior);
      const sandboxConfig = podConfig(0);
      const { containerId } = await cri.createContainer(
        { podSandboxId: podId, config, sandboxConfig },
        options,
      );
      return containerId;
    }
    case 'stopPod':
      await cri.stopPodSandbox({ podSandboxId: operation.id });
      return '';
    case 'removePod':
      await cri.removePodSandbox({ podSandboxId: operation.id });
      return '';
    case 'start':
      await cri.startContainer({ containerId: operation.id });
      return '';
    case 'stop':
      await cri.stopContainer({ containerId: operation.id, timeout: BigInt(operation.timeout) });
      return '';
    case 'remove':
      await cri.removeContainer({ containerId: operation.id });
      return '';
    case 'exec':
      await cri.execSync({ containerId: operation.id, cmd: ['echo', 'hello'] });
      return '';
    case 'update':
      await cri.updateContainerResources({ containerId: operation.id, linux: { cpuShares: 512n } });
      return '';
    case 'exit':
      await runtime.exit?.(operation.id, INJECTED);
      return '';
    case 'pull':
      await cri.pullImage({ image: { image: runtime.images.changing } });
      return '';
    case 'removeImage':
      await cri.removeImage({ image: { image: runtime.images.changing } });
      return '';
  }
}

const awkward = {
  'io.kubernetes.pod.name': 'x',
  'a/b.c': '',
  constructor: 'ü\n"',
  toString: 'x'.repeat(300),
};

export function podConfig(pod: number) {
  return {
    metadata: { name: `pod-${pod}`, uid: `uid-${pod}`, namespace: 'property', attempt: pod },
    hostname: `pod-${pod}`,
    labels: { pod: String(pod), ...awkward },
    annotations: { note: `pod ${pod}`, ...awkward },
    linux: {},
  };
}

export function containerConfig(runtime: RuntimeUnderTest, name: string, behavior: Behavior) {
  return {
    metadata: { name, attempt: 7 },
    image: { image: runtime.images.steady },
    command: [...runtime.commands[behavior]],
    labels: { name, behavior, ...awkward },
    annotations: { note: behavior, ...awkward },
    linux: { resources: { cpuShares: 256n } },
  };
}
