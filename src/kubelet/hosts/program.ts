import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Pod } from '../kubernetes/pod.js';
import { type PodApiStatus, podStatusSchema } from '../kubernetes/pod-status.js';
import type { PodSource } from '../pod-ports.js';
import type { KubeletKind } from './kubelet.js';
import {
  createKubeletProcess,
  type KubeletProcessOptions,
  kubeletConfig,
  MANIFESTS,
} from './program/kubelet-process.js';

/** Polling interval for the kubelet's pods, in ms. */
const LOOK = 200;

export interface ProgramParts extends Omit<KubeletProcessOptions, 'exited'> {
  readonly clock: Clock;
  readonly podSource: PodSource;
  /** Returns JSON. */
  readonly manifestOf: (pod: Pod) => string;
  readonly isThere: (pod: Pod) => boolean;
}

/** Runs a kubelet program in real time. Its directory must be empty and not shared. */
export function programKubelet(parts: ProgramParts): KubeletKind {
  const { clock, directory, readOnlyPort } = parts;
  const url = `http://127.0.0.1:${readOnlyPort}`;
  const pods = followPods(parts);
  let isConfigured = false;
  return ({ statusSink, exited }) => {
    const process = createKubeletProcess({ ...parts, exited });
    let looks: Timer | undefined;
    const look = async () => {
      const answer = await fetch(`${url}/pods`, { signal: AbortSignal.timeout(LOOK * 10) });
      const { items } = podListSchema.parse(await answer.json());
      for (const { pod, status } of pods.shown(items)) statusSink.status(pod, status);
      for (const pod of pods.gone(items)) statusSink.finished?.(pod);
    };
    const lookAgain = async () => {
      // The kubelet is not up yet.
      await look().catch(() => {});
      if (looks !== undefined) looks = clock.setTimer(LOOK, lookAgain);
    };
    return {
      start: async () => {
        if (!isConfigured) writeFileSync(join(directory, 'kubelet.yaml'), kubeletConfig(parts));
        isConfigured = true;
        process.start();
        looks = clock.setTimer(LOOK, lookAgain);
      },
      kill: () => {
        looks?.cancel();
        looks = undefined;
        process.kill();
      },
      pods: pods.all,
      isIdle: false,
      syncNow: async () => {},
      health: () => undefined,
      metrics: async () => {
        try {
          return await (await fetch(`${url}/metrics`)).text();
        } catch {
          return '';
        }
      },
    };
  };
}

type ShownPods = ReturnType<typeof podListSchema.parse>['items'];

/** By name and namespace: the program chooses the uids of static pods itself. */
const keyOf = ({ name, namespace }: { readonly name: string; readonly namespace: string }): string =>
  `${namespace}_${name}`;

function followPods({ clock, directory, podSource, manifestOf, isThere }: ProgramParts) {
  const manifests = join(directory, MANIFESTS);
  mkdirSync(manifests, { recursive: true });
  const wanted = new Map<string, Pod>();
  const removed = new Map<string, Pod>();
  const statuses = new Map<string, PodApiStatus>();
  const fileOf = (key: string) => join(manifests, `${key}.json`);
  podSource.start((pods) => {
    const keys = new Set(pods.map(({ metadata }) => keyOf(metadata)));
    for (const [key, pod] of wanted) {
      if (keys.has(key)) continue;
      wanted.delete(key);
      removed.set(key, pod);
      rmSync(fileOf(key), { force: true });
    }
    for (const pod of pods) {
      const key = keyOf(pod.metadata);
      if (!wanted.has(key)) writeFileSync(fileOf(key), manifestOf(pod));
      wanted.set(key, pod);
    }
  });
  return {
    all: () => [...wanted.values()].map((pod) => ({ pod, status: statuses.get(pod.metadata.uid) })),
    shown: (items: ShownPods) =>
      items.flatMap(({ metadata, status }) => {
        const pod = wanted.get(keyOf(metadata)) ?? removed.get(keyOf(metadata));
        if (pod === undefined) return [];
        statuses.set(pod.metadata.uid, status);
        return { pod, status };
      }),
    gone: (items: ShownPods): Pod[] => {
      const keys = new Set(items.map(({ metadata }) => keyOf(metadata)));
      return [...removed].flatMap(([key, pod]) => {
        if (keys.has(key) || isThere(pod)) return [];
        removed.delete(key);
        return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: clock.now() } };
      });
    },
  };
}

/** The fields of a kubelet's `/pods` that rows of `kubectl get pod` need. */
const podListSchema = z.object({
  items: z
    .array(
      z.object({
        metadata: z.object({ name: z.string(), namespace: z.string().default('default') }),
        status: podStatusSchema,
      }),
    )
    .nullish()
    .transform((items) => items ?? []),
});
