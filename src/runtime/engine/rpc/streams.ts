import {
  StreamContainerStatsResponse,
  StreamImagesResponse,
  StreamPodSandboxMetricsResponse,
  StreamPodSandboxStatsResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import type { Engine } from '../engine.js';
import { Encodings } from '../state/encodings.js';
import { encode } from '../state/protobuf-splice.js';
import { selectContainers, selectSandboxes } from './filters.js';
import { selectImages } from './images.js';
import { collectMetrics } from './metrics.js';
import { listContainerStats, listSandboxStats } from './stats.js';

type StreamService = Pick<
  CriService,
  | 'streamPodSandboxes'
  | 'streamContainers'
  | 'streamContainerStats'
  | 'streamPodSandboxStats'
  | 'streamPodSandboxMetrics'
  | 'streamImages'
  | 'getContainerEvents'
>;

/** Items in a message of a Stream* list, as in containerd. */
export const STREAM_ITEMS = 5000;

/** The Stream* RPCs: a snapshot of List's items in messages of at least one item, then the end (INV-20, INV-21). */
export function streamService(engine: Engine): StreamService {
  const { store, bus, streamItems } = engine;
  async function* chunks<T>(
    list: () => T[] | Promise<T[]>,
    encodeChunk: (items: T[]) => Buffer,
  ): AsyncGenerator<Buffer, void> {
    const items = await list();
    const messages: Buffer[] = [];
    for (let start = 0; start < items.length; start += streamItems)
      messages.push(encodeChunk(items.slice(start, start + streamItems)));
    yield* messages;
  }
  return {
    streamPodSandboxes: ({ filter }) => chunks(() => [...selectSandboxes(store, filter)], Encodings.list),
    streamContainers: ({ filter }) => chunks(() => [...selectContainers(store, filter)], Encodings.list),
    streamContainerStats: ({ filter }) =>
      chunks(
        () => listContainerStats(engine, filter),
        (containerStats) => encode(StreamContainerStatsResponse, { containerStats }),
      ),
    streamPodSandboxStats: ({ filter }) =>
      chunks(
        () => listSandboxStats(engine, filter),
        (podSandboxStats) => encode(StreamPodSandboxStatsResponse, { podSandboxStats }),
      ),
    streamPodSandboxMetrics: () =>
      chunks(
        () => collectMetrics(engine),
        (podSandboxMetrics) => encode(StreamPodSandboxMetricsResponse, { podSandboxMetrics }),
      ),
    streamImages: ({ filter }) =>
      chunks(
        () => selectImages(engine, filter),
        (images) => encode(StreamImagesResponse, { images }),
      ),
    getContainerEvents: (_request, call) => bus.subscribe(call.signal),
  };
}
