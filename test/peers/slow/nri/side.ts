import { once } from 'node:events';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { CallError } from '../../../../src/cri/client/call-error.js';
import type { CriConnection } from '../../../../src/cri/client/connect.js';
import { PodSandboxConfig } from '../../../../src/cri/gen/runtime/v1/api.js';
import { type EventMethod, events, nameOf } from '../../../../src/runtime/nri/events.js';
import {
  type Container,
  CreateContainerResponse,
  type PodSandbox,
  RuntimeDefinition,
  type StateChangeEvent,
  UpdateContainerResponse,
  UpdateContainersRequest,
} from '../../../../src/runtime/nri/gen/nri/v1alpha1/api.js';
import { statusError } from '../../../../src/runtime/ttrpc/error.js';
import { connectPluginTo, type PluginHandlers } from '../../../support/nri/plugin.js';
import { IMAGE } from '../../../support/profiles/pod-fixture.js';
import { type Life, type Planned, type Step, sharesUpdate } from './random-life.js';

/** A request that a plugin received. */
export interface Recorded {
  readonly plugin: string;
  readonly method: string;
  readonly request: { readonly pod?: PodSandbox | undefined; readonly container?: Container | undefined };
}

/** A plugin's reply; throws for a refusal. */
function adjusted(adjust: Planned): CreateContainerResponse {
  if (adjust === 'refused') throw statusError(9, 'not today');
  return CreateContainerResponse.fromPartial({ adjust });
}

/** The result of a life on one runtime. */
export interface Lived {
  readonly answers: readonly string[];
  readonly requests: readonly Recorded[];
  /** By name of the container. */
  readonly specs: ReadonlyMap<string, unknown>;
  /** Replacements of ids and paths in texts. */
  readonly names: ReadonlyMap<string, string>;
}

/** One runtime with its plugins. */
export interface PluginSide {
  /** The first requests to each plugin. */
  readonly configurations: readonly object[];
  live(life: Life): Promise<Lived>;
  close(): Promise<void>;
}

const NAMES = ['10-a', '20-b', '30-c'] as const;

/** Connects recording plugins to a runtime. */
export async function createSide(cri: CriConnection, socket: string, plugins: number): Promise<PluginSide> {
  const clock = createRealClock();
  const requests: Recorded[] = [];
  const planned = new Map<string, Life>();
  const planOf = ({ pod, container }: Recorded['request']) =>
    planned.get(pod?.name ?? '')?.containers.find(({ name }) => name === container?.name);
  const handlersOf = (index: number): PluginHandlers => ({
    createContainer: (request) => adjusted(planOf(request)?.adjust[index]),
    updateContainer: (request) => {
      const { container } = request;
      const shares = planOf(request)?.shares[index];
      return UpdateContainerResponse.fromPartial({
        update: shares === undefined || container === undefined ? [] : [sharesUpdate(container.id, shares)],
      });
    },
  });
  const connected: Awaited<ReturnType<typeof connectPluginTo>>[] = [];
  for (const [index, plugin] of NAMES.slice(0, plugins).entries()) {
    const name = { pluginIdx: plugin.slice(0, 2), pluginName: plugin.slice(3) };
    const onRequest = (method: string, request: object) =>
      requests.push({ plugin, method: eventOf(method, request), request });
    const synchronized = new EventTarget();
    const ready = once(synchronized, 'done');
    const handlers: PluginHandlers = {
      ...handlersOf(index),
      synchronize: ({ more }) => {
        if (!more) synchronized.dispatchEvent(new Event('done'));
        return { update: [], more };
      },
    };
    connected.push(await connectPluginTo(socket, clock, name, handlers, onRequest));
    await ready;
  }
  const configurations = requests
    .filter(({ method }) => method === 'Configure')
    .map(({ request }) => request);
  return {
    configurations,
    live: async (life) => {
      planned.set(life.name, life);
      const { answers, specs, names } = await live(life, cri, async (id) => {
        const update = UpdateContainersRequest.fromPartial({ update: [sharesUpdate(id, 77n)] });
        await connected[0]?.runtime.call(RuntimeDefinition, 'updateContainers', update);
      });
      return {
        answers,
        specs,
        names,
        requests: requests.filter(({ request: { pod } }) => pod?.name === life.name),
      };
    },
    close: async () => {
      for (const plugin of connected) plugin.close();
    },
  };
}

/** The request's name; the event's name if NRI has one request for several events. */
function eventOf(method: string, request: object): string {
  if (method !== 'StateChange') return method;
  const { event } = request as StateChangeEvent;
  const name = (Object.keys(events) as EventMethod[]).find((each) => events[each].event === event);
  return `${name === undefined ? event : nameOf(name)} (${method})`;
}

async function live(life: Life, cri: CriConnection, unsolicited: (id: string) => Promise<void>) {
  const answers: string[] = [];
  const specs = new Map<string, unknown>();
  const names = new Map<string, string>();
  const ask = async (what: string, call: Promise<unknown>) => {
    answers.push(`${what}: ${await answerTo(call)}`);
  };
  const config = PodSandboxConfig.fromPartial({
    metadata: { name: life.name, uid: `uid-${life.name}`, namespace: 'default', attempt: 0 },
    hostname: life.name,
    labels: { pod: life.name },
    annotations: { of: 'pod' },
    linux: { securityContext: { namespaceOptions: { pid: 1 } } },
  });
  const { podSandboxId } = await cri.runPodSandbox({ config });
  names.set(podSandboxId, '<pod>');
  for (const container of life.containers) {
    const { name } = container;
    let containerId = '';
    const given = {
      metadata: { name, attempt: 0 },
      image: IMAGE,
      command: ['sleep', '1000'],
      ...container.config,
    };
    const creation = cri.createContainer({ podSandboxId, config: given, sandboxConfig: config });
    await ask(
      `create ${name}`,
      creation.then((reply) => {
        containerId = reply.containerId;
      }),
    );
    if (containerId === '') continue;
    names.set(containerId, `<${name}>`);
    specs.set(name, await specOf(cri, containerId));
    for (const step of container.steps)
      await ask(`${step} ${name}`, stepOf(step, container, containerId, cri, unsolicited));
    if (!container.steps.includes('remove')) specs.set(`${name} at last`, await specOf(cri, containerId));
  }
  if (life.isStopped) await ask('stop pod', cri.stopPodSandbox({ podSandboxId }));
  await ask('remove pod', cri.removePodSandbox({ podSandboxId }));
  return { answers, specs, names };
}

function stepOf(
  step: Step,
  { steps }: Life['containers'][number],
  containerId: string,
  cri: CriConnection,
  unsolicited: (id: string) => Promise<void>,
): Promise<unknown> {
  if (step === 'start') return cri.startContainer({ containerId });
  if (step === 'update') return cri.updateContainerResources({ containerId, linux: { cpuShares: 400n } });
  // The stop signal ends the process of a created container; without a timeout, its exit would be chance in CRI-O.
  if (step === 'stop') return cri.stopContainer({ containerId, timeout: steps.includes('start') ? 0n : 10n });
  if (step === 'remove') return cri.removeContainer({ containerId });
  return unsolicited(containerId);
}

async function specOf(cri: CriConnection, containerId: string): Promise<unknown> {
  const { info } = await cri.containerStatus({ containerId, verbose: true });
  return (JSON.parse(info.info ?? '{}') as { runtimeSpec?: unknown }).runtimeSpec;
}

const answerTo = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error instanceof CallError ? `${error.codeName}: ${error.details}` : String(error)),
  );
