import { expect, it } from 'vitest';
import { createMemoryFiles } from '../../adapters/memory/disk/memory-files.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { Account } from '../../src/base/input/account.js';
import type { ContainerFiles } from '../../src/linux/fs/file-system.js';
import { MemoryDisk } from '../../src/linux/fs/memory-disk.js';
import { containerFiles, someView } from '../support/linux/container-files.js';
import fc from '../support/properties.js';
import { countOf, ofAll } from '../support/thorough.js';

const RUNS = 1000;
const runs = countOf(RUNS, 60);

const PODS = ['one', 'two'];
const CONTAINERS = ['init', 'app'];
const VOLUMES = {
  empty: { emptyDir: {} },
  other: {},
  node: { hostPath: { path: '/data/node' } },
  claim: { persistentVolumeClaim: { claimName: 'claim', readOnly: false } },
};
type VolumeName = keyof typeof VOLUMES;

const place = fc.record({
  pod: fc.constantFrom(...PODS),
  container: fc.constantFrom(...CONTAINERS),
  volume: fc.constantFrom<VolumeName>('empty', 'other', 'node', 'claim'),
  file: fc.constantFrom('a', 'b', 'c'),
});
const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('write' as const), place, text: fc.string() }) },
  fc.record({ kind: fc.constant('append' as const), place, text: fc.string() }),
  fc.record({ kind: fc.constant('remove' as const), place }),
  fc.record({ kind: fc.constant('rename' as const), place, to: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('restart' as const), place }),
  fc.record({ kind: fc.constant('end' as const), place }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Owned = Pick<Operation['place'], 'pod' | 'volume'>;

/** Volumes on a disk in memory, and the containers that mount them. */
function world() {
  const clock = createVirtualClock();
  const disk = MemoryDisk.ofNode(clock.now, new Account());
  const files = createMemoryFiles(disk);
  const containers = new Map<string, ContainerFiles>();
  const container = async (pod: string, name: string): Promise<ContainerFiles> => {
    const key = `${pod} ${name}`;
    const known = containers.get(key);
    if (known !== undefined) return known;
    const owner = { uid: pod, namespace: 'default' };
    const mounts = [];
    for (const [volume, source] of Object.entries(VOLUMES)) {
      const hostPath = (await files.volume(owner, { name: volume, ...source })) ?? '';
      mounts.push({ containerPath: `/${volume}`, hostPath });
    }
    const made = containerFiles('busybox', { mounts }, someView, [], clock, disk);
    containers.set(key, made);
    return made;
  };
  const forget = (key: string) => {
    for (const name of containers.keys()) if (name.startsWith(key)) containers.delete(name);
  };
  return { files, container, forget };
}

/** What a volume is called that a pod mounts: its own, or one of the node. */
const owner = ({ pod, volume }: Owned): string =>
  volume === 'node' || volume === 'claim' ? volume : `${pod} ${volume}`;

/** What a simple disk would hold: texts by file, of each volume. */
type Model = Map<string, Map<string, string>>;

const contentOf = (model: Model, at: Owned): Map<string, string> => {
  const found = model.get(owner(at)) ?? new Map<string, string>();
  model.set(owner(at), found);
  return found;
};

async function perform(
  { files, container, forget }: ReturnType<typeof world>,
  model: Model,
  step: Operation,
) {
  const { pod, container: name, volume, file } = step.place;
  const content = contentOf(model, step.place);
  const path = `/${volume}/${file}`;
  if (step.kind === 'restart') return forget(`${pod} ${name}`);
  if (step.kind === 'end') {
    forget(`${pod} `);
    await files.removeVolumes(pod);
    for (const key of model.keys()) if (key.startsWith(`${pod} `)) model.delete(key);
    return;
  }
  const fs = await container(pod, name);
  const text = content.get(file);
  if (step.kind === 'write' || step.kind === 'append') {
    const append = step.kind === 'append';
    await fs.writeFile(path, Buffer.from(step.text), { append });
    content.set(file, append ? `${text ?? ''}${step.text}` : step.text);
  } else if (text === undefined) {
    await expect(fs.unlink(path)).rejects.toThrow('No such file or directory');
  } else {
    content.delete(file);
    if (step.kind === 'remove') return fs.unlink(path);
    content.set(step.to, text);
    await fs.rename(path, `/${volume}/${step.to}`);
  }
}

it(`volumes keep the files of containers across restarts and ends: ${ofAll(runs, RUNS, 'runs')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async (steps) => {
      const given = world();
      const model: Model = new Map();
      for (const step of steps) await perform(given, model, step);
      for (const pod of PODS)
        for (const name of CONTAINERS) {
          const fs = await given.container(pod, name);
          for (const volume of Object.keys(VOLUMES) as VolumeName[]) {
            const expected = contentOf(model, { pod, volume });
            const made = volume === 'claim' ? ['lost+found'] : [];
            expect(await fs.readdir(`/${volume}`)).toEqual([...made, ...expected.keys()].sort());
            for (const [file, text] of expected)
              expect(String(await fs.readFile(`/${volume}/${file}`))).toBe(Buffer.from(text).toString());
          }
        }
    }),
    { numRuns: runs },
  );
});
