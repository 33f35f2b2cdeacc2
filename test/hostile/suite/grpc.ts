import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import { messageTypeOf } from '../../../src/cri/messages.js';
import { allMethods } from '../../../src/cri/methods.js';
import type { Victim } from '../kit.js';
import type { Dice, Surface } from './surface.js';

const clock = createRealClock();

const BATCH = 500;
const DEADLINE = 5000;
const INTERNAL = 13;

const same = (bytes: Buffer): Buffer => bytes;

/** Requests of every RPC: valid ones with changed bytes, those of other RPCs, and random bytes. */
export const grpcSurface: Surface = {
  name: 'gRPC',
  open: async (victim, dice) => {
    const client = new Client(`unix:${victim.socket}`, credentials.createInsecure());
    const seeds = seedsOf(victim);
    return {
      batch: async () => {
        await Promise.all(Array.from({ length: BATCH }, () => call(client, dice, seeds)));
        await removeOthers(victim);
        return BATCH;
      },
      close: () => client.close(),
    };
  },
};

function call(client: Client, dice: Dice, seeds: ReadonlyMap<string, Buffer>): Promise<void> {
  // A stream stays open until its deadline.
  const { path, name } = dice.of(allMethods.filter(({ stream }) => !stream));
  const body = bodyOf(dice, name, seeds);
  const deadline = Number(clock.now() / 1_000_000n) + DEADLINE;
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, body, new Metadata(), { deadline }, (error) => {
      if (error?.code === INTERNAL && error.details.startsWith('internal error'))
        reject(new Error(`${name} of ${body.toString('hex').slice(0, 400)}: ${error.details}`));
      else resolve();
    });
  });
}

function bodyOf(dice: Dice, name: string, seeds: ReadonlyMap<string, Buffer>): Buffer {
  const own = seeds.get(name) ?? Buffer.alloc(0);
  switch (dice.below(8)) {
    case 0:
      return dice.bytes(dice.below(200));
    case 1:
      return dice.of([...seeds.values()]);
    case 2:
      // One field inside another, 2,000 deep.
      return Buffer.alloc(dice.below(4000), 0x0a);
    default:
      return dice.mutate(own);
  }
}

/** A valid request of each RPC. */
function seedsOf({ podSandboxId, pod }: Victim): ReadonlyMap<string, Buffer> {
  const config = {
    metadata: { name: 'fuzz', attempt: 0 },
    image: { image: 'busybox:1' },
    command: ['sleep', '1'],
    labels: { a: 'b' },
    annotations: { c: 'd' },
    // No mounts: with some changed bytes they would make directories all over the machine.
    linux: { resources: { memoryLimitInBytes: 1000000n }, securityContext: { privileged: false } },
  };
  const fields = {
    config: { ...pod, ...config, metadata: { name: 'fuzz', uid: 'fuzz', namespace: 'fuzz', attempt: 0 } },
    podSandboxId,
    sandboxConfig: pod,
    containerId: podSandboxId,
    image: { image: 'busybox:1' },
    filter: { id: podSandboxId.slice(0, 8), labelSelector: { a: 'b' } },
    cmd: ['echo', 'x'],
    timeout: 1n,
    port: [80],
    version: 'v1',
    verbose: true,
  };
  // The pod and the image that other requests use stay.
  const spared: Readonly<Record<string, object>> = {
    StopPodSandbox: { podSandboxId: 'none' },
    RemovePodSandbox: { podSandboxId: 'none' },
    RemoveImage: { image: { image: 'none' } },
  };
  return new Map(
    allMethods.map(({ name }) => {
      const type = messageTypeOf(name, 'Request');
      const known = Object.keys(type.fromPartial({}));
      const own = Object.entries(fields).filter(([field]) => known.includes(field));
      const given =
        name === 'CreateContainer' ? { podSandboxId, config, sandboxConfig: pod } : Object.fromEntries(own);
      return [name, Buffer.from(type.encode(type.fromPartial(spared[name] ?? given)).finish())] as const;
    }),
  );
}

/** Removes the pods and containers of fuzzed requests. */
async function removeOthers({ cri, podSandboxId }: Victim): Promise<void> {
  for (const { id, labels } of (await cri.listPodSandbox({})).items)
    if (labels.kept === undefined) await cri.removePodSandbox({ podSandboxId: id });
  for (const { id } of (await cri.listContainers({ filter: { podSandboxId } })).containers)
    await cri.removeContainer({ containerId: id }).catch(() => {});
}
