import type { CriMethodName } from './service.js';

/** Minor versions of cri-api, oldest first. */
export const apiLevels = [
  'v0.26',
  'v0.27',
  'v0.28',
  'v0.29',
  'v0.30',
  'v0.31',
  'v0.32',
  'v0.33',
  'v0.34',
  'v0.35',
  'v0.36',
  'v0.37',
] as const;

/** v0.36 goes with Kubernetes 1.36. */
export type ApiLevel = (typeof apiLevels)[number];

export const newestApiLevel: ApiLevel = 'v0.37';

/** The first level with an RPC that the oldest level lacks (proto/cri-v1.json, `since`). */
export const availableSince: Readonly<Partial<Record<CriMethodName, ApiLevel>>> = {
  runtimeConfig: 'v0.28',
  updatePodSandboxResources: 'v0.33',
  streamPodSandboxes: 'v0.36',
  streamContainers: 'v0.36',
  streamContainerStats: 'v0.36',
  streamPodSandboxStats: 'v0.36',
  streamPodSandboxMetrics: 'v0.36',
  streamImages: 'v0.36',
  checkpointPod: 'v0.37',
  restorePod: 'v0.37',
};

/** Whether a runtime of that level has the RPC; the others are UNIMPLEMENTED. */
export function isAvailable(method: CriMethodName, level: ApiLevel): boolean {
  const since = availableSince[method];
  return since === undefined || apiLevels.indexOf(since) <= apiLevels.indexOf(level);
}
