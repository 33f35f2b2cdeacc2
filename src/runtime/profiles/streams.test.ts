import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { clientOf } from '../../cri/client/in-process.js';
import { openRuntime } from '../assembly/origin.js';
import { statusOf } from '../server/status.js';
import { runtimeProfiles } from './index.js';

/** How many items are in each message of a list that profiles change, and of one that they take from the engine. */
async function messageSizes(profile: keyof typeof runtimeProfiles, streamItems?: number) {
  const clock = createVirtualClock();
  const backend = createMemoryBackend({ clock });
  const origin = await openRuntime({ backend, clock, profile: runtimeProfiles[profile], streamItems });
  const cri = clientOf(origin.service, { clock, codeOf: (error) => statusOf(error, String).code });
  const made = ['a', 'b', 'c'].map(async (name) => {
    await cri.pullImage({ image: { image: `example.com/${name}:1` } });
    await cri.runPodSandbox({
      config: { metadata: { name, uid: name, namespace: 'd', attempt: 0 }, linux: {} },
    });
  });
  await clock.advance(60_000);
  await Promise.all(made);
  const images: number[] = [];
  for await (const message of cri.streamImages({})) images.push(message.images.length);
  const pods: number[] = [];
  for await (const message of cri.streamPodSandboxes({})) pods.push(message.podSandboxes.length);
  await origin.close();
  return { images, pods };
}

test.each(['strict', 'containerd-2.4', 'cri-o-1.36'] as const)(
  '%s: all Stream* lists have as many items in a message as was asked for',
  async (profile) => {
    const { images, pods } = await messageSizes(profile, 1);
    expect(new Set([...images, ...pods])).toEqual(new Set([1]));
    expect(images.length).toBeGreaterThan(1);
    expect(pods).toHaveLength(3);
  },
);
