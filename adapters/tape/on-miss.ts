import type { Clock } from '../../src/base/clock/clock.js';
import type { ContainerEventResponse, PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import { allMethods, type CriMethod } from '../../src/cri/methods.js';
import type { Call, CriService } from '../../src/cri/service.js';
import type { AnyRequest } from '../../src/cri/subject.js';
import { createService, type Reply, streamWork, unaryWork } from '../../src/cri/wrap-service.js';
import { renamed } from '../../src/tape/history/renaming.js';
import { listShapes } from '../../src/tape/history/sightings.js';
import { itemsOf } from '../../src/tape/world/list-joiner.js';
import { TapeMiss } from './tape-service.js';

interface CreateRequest extends Pick<AnyRequest, 'podSandboxId'> {
  readonly sandboxConfig?: PodSandboxConfig | undefined;
  readonly config?:
    | { readonly image?: { readonly image: string; readonly userSpecifiedImage?: string } | undefined }
    | undefined;
}

/** Puts a tape in front of another runtime for the calls that it can't answer, with hidden sandboxes for its pods. */
export function answerMisses(tape: CriService, other: CriService, clock: Clock): CriService {
  /** Sandboxes of the tape and their counterparts in the other runtime, both ways. */
  const shadows = new Map<string, string>();
  const originals = new Map<string, string>();
  const others = new Set<string>();

  const outward = (text: string) => originals.get(text) ?? text;
  const asSeen = <T>(reply: T): T => renamed(reply, { time: (nanos) => nanos, text: outward });
  const ask = async (method: CriMethod, request: object, call: Call): Promise<object> => {
    const { podSandboxId = '' } = request as AnyRequest;
    const asked = podSandboxId
      ? { ...request, podSandboxId: shadows.get(podSandboxId) ?? podSandboxId }
      : request;
    return asSeen(decodedBy(method, await unaryWork(other, method)(asked, call)));
  };
  const askTape = async (method: CriMethod, request: object, call: Call): Promise<object> =>
    decodedBy(method, await unaryWork(tape, method)(request, call));

  const prepare = async (request: CreateRequest, call: Call): Promise<object> => {
    const { podSandboxId = '', sandboxConfig, config } = request;
    if (!others.has(podSandboxId) && !shadows.has(podSandboxId)) {
      const made = await other.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' }, call);
      const { podSandboxId: shadow } = decodedBy(methodOf('runPodSandbox'), made) as { podSandboxId: string };
      shadows.set(podSandboxId, shadow);
      originals.set(shadow, podSandboxId);
    }
    const image = {
      ...config?.image,
      image: config?.image?.userSpecifiedImage || config?.image?.image || '',
    };
    await ask(methodOf('pullImage'), { image, sandboxConfig }, call);
    return { ...request, config: { ...config, image } };
  };
  const make = async (method: CriMethod, request: object, call: Call): Promise<object> => {
    const isCreate = method.name === 'CreateContainer';
    const reply = await ask(method, isCreate ? await prepare(request, call) : request, call);
    const { podSandboxId, containerId } = reply as AnyRequest;
    if (method.name === 'RunPodSandbox' && podSandboxId) others.add(podSandboxId);
    if (isCreate && containerId) others.add(containerId);
    return reply;
  };
  const unary = async (method: CriMethod, request: AnyRequest, call: Call): Promise<object> => {
    const { podSandboxId = '', containerId = '' } = request;
    if (others.has(containerId) || others.has(podSandboxId)) return make(method, request, call);
    try {
      const reply = await askTape(method, request, call);
      const ends = method.name === 'StopPodSandbox' || method.name === 'RemovePodSandbox';
      if (ends && shadows.has(podSandboxId)) await ask(method, request, call);
      return reply;
    } catch (error) {
      const isOfTape = method.name !== 'CreateContainer' && (containerId || podSandboxId);
      if (!(error instanceof TapeMiss) || isOfTape) throw error;
      return make(method, request, call);
    }
  };
  const list = async (method: CriMethod, request: object, call: Call, field: string): Promise<object> => {
    const recorded = await askTape(method, request, call).catch((error: unknown) => {
      if (error instanceof TapeMiss) return { [field]: [] };
      throw error;
    });
    const more = itemsOf<object>(decodedBy(method, await unaryWork(other, method)(request, call)));
    const visible = more.filter((item) => !originals.has((item as { id?: string }).id ?? ''));
    return { [field]: [...itemsOf<object>(recorded), ...asSeen(visible)] };
  };
  const containerEvents = (call: Call): AsyncIterable<Reply> => {
    const method = methodOf('getContainerEvents');
    const made = mapStream(streamWork(other, method)({}, call), (reply) => {
      const event = decodedBy(method, reply) as ContainerEventResponse;
      return originals.has(event.containerId) ? undefined : asSeen(event);
    });
    return mergeStreams([streamWork(tape, method)({}, call), made], clock);
  };

  return createService({
    unary: (method) => (request, call) => {
      const shape = listShapes[method.name];
      return shape === undefined ? unary(method, request, call) : list(method, request, call, shape.field);
    },
    stream: (method) => (request, call) =>
      method.name === 'GetContainerEvents'
        ? containerEvents(call)
        : mergeStreams(
            [streamWork(tape, method)(request, call), streamWork(other, method)(request, call)],
            clock,
          ),
  });
}

/** Yields the messages of several streams as they arrive; ends with the last stream, and fails with the first error. */
async function* mergeStreams<T>(streams: readonly AsyncIterable<T>[], clock: Clock): AsyncGenerator<T> {
  const iterators = streams.map((stream) => stream[Symbol.asyncIterator]());
  const ask = (from: AsyncIterator<T>) => from.next().then((result) => ({ from, result }));
  const waiting = new Map(iterators.map((from) => [from, ask(from)]));
  try {
    while (waiting.size > 0) {
      const { from, result } = await clock.idle(Promise.race(waiting.values()));
      if (result.done) waiting.delete(from);
      else {
        waiting.set(from, ask(from));
        yield result.value;
      }
    }
  } finally {
    for (const from of waiting.keys()) void from.return?.()?.catch(() => {});
  }
}

const methodOf = (key: string): CriMethod => allMethods.find((method) => method.key === key) as CriMethod;

const decodedBy = (method: CriMethod, reply: Reply): object =>
  Buffer.isBuffer(reply) ? method.decodeReply(reply) : reply;

async function* mapStream(
  stream: AsyncIterable<Reply>,
  change: (reply: Reply) => Reply | undefined,
): AsyncGenerator<Reply> {
  for await (const reply of stream) {
    const changed = change(reply);
    if (changed !== undefined) yield changed;
  }
}
