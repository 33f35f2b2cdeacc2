import {
  ListContainerStatsResponse,
  ListImagesResponse,
  ListPodSandboxMetricsResponse,
  ListPodSandboxStatsResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../cri/service.js';
import { decoded } from './decoded.js';

type Lists = Pick<
  CriService,
  'listImages' | 'listContainerStats' | 'listPodSandboxStats' | 'listPodSandboxMetrics'
>;
type Streams = Pick<
  CriService,
  'streamImages' | 'streamContainerStats' | 'streamPodSandboxStats' | 'streamPodSandboxMetrics'
>;

/** The Stream* RPCs of lists that differ from the engine's: the items of `shown`, `size` in a message. */
export const streamsOf = (shown: Lists, size: number): Streams => ({
  streamImages: async function* (request, call) {
    const { images } = decoded(ListImagesResponse, await shown.listImages(request, call));
    for (const batch of batches(images, size)) yield { images: batch };
  },
  streamContainerStats: async function* (request, call) {
    const { stats } = decoded(ListContainerStatsResponse, await shown.listContainerStats(request, call));
    for (const containerStats of batches(stats, size)) yield { containerStats };
  },
  streamPodSandboxStats: async function* (request, call) {
    const { stats } = decoded(ListPodSandboxStatsResponse, await shown.listPodSandboxStats(request, call));
    for (const podSandboxStats of batches(stats, size)) yield { podSandboxStats };
  },
  streamPodSandboxMetrics: async function* (request, call) {
    const reply = await shown.listPodSandboxMetrics(request, call);
    const { podMetrics } = decoded(ListPodSandboxMetricsResponse, reply);
    for (const podSandboxMetrics of batches(podMetrics, size)) yield { podSandboxMetrics };
  },
});

function* batches<T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
