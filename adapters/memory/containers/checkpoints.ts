import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readSmallFile } from '../../../src/base/input/text-file.js';
import { invalid } from '../../../src/cri/errors.js';
import {
  padding,
  readTarHeader,
  TAR_BLOCK,
  tarHeader,
} from '../../../src/linux/commands/files/tar-header.js';
import type {
  CheckpointBackend,
  ContainerRuntime,
  ContainerSpec,
} from '../../../src/runtime/engine/backend.js';
import type { MemoryContainer } from './container.js';

type Members = Readonly<Record<string, string>>;

const schema = z.strictObject({
  version: z.literal(1),
  kind: z.literal('mockri-container-checkpoint'),
  image: z.string(),
  command: z.array(z.string()),
  /** How long it had run, in ms. */
  age: z.number().nonnegative(),
});

const MEMBER = 'mockri.json';

/** `container` throws `notFound`. */
export interface CheckpointAccess {
  container(id: string): MemoryContainer;
  /** Like createContainer, for a container that has already run for `age` ms. */
  create(spec: ContainerSpec, age: number): Promise<ContainerRuntime>;
}

/**
 * A simulated container's checkpoint has only its age: a behavior continues from there. A command line restarts,
 * because a program's memory cannot be saved. The file is an archive with the file names of real runtimes (spec.dump,
 * config.dump, checkpoint/inventory.img), which readers of checkpoints look for.
 */
export function createMemoryCheckpoints({ container, create }: CheckpointAccess): CheckpointBackend {
  return {
    pauseContainer: async (id) => container(id).pause(),
    resumeContainer: async (id) => container(id).resume(),
    saveContainer: async (id, file, { signal }) => {
      const saving = container(id);
      const saved: z.input<typeof schema> = {
        version: 1,
        kind: 'mockri-container-checkpoint',
        image: saving.image?.id ?? '',
        command: [...saving.argv()],
        age: saving.age,
      };
      signal.throwIfAborted();
      const archive = packArchive({
        'config.dump': JSON.stringify({ id, rootfsImageName: saved.image }),
        'spec.dump': JSON.stringify({ process: { args: saved.command } }),
        'checkpoint/inventory.img': '',
        [MEMBER]: JSON.stringify(saved),
      });
      await writeFile(file, archive, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
        throw invalid(`the checkpoint can't be written to "${file}": ${error.message}`);
      });
    },
    restoreContainer: async (spec, file) => create(spec, (await read(file)).age),
  };
}

/** A tar archive of text files that only their owner may read. */
function packArchive(members: Members): Buffer {
  const file = { kind: 'file', mode: 0o600, uid: 0, gid: 0, modifiedAt: 0n, inode: 0, links: 1 } as const;
  const parts = Object.entries(members).flatMap(([name, text]) => {
    const content = Buffer.from(text);
    const header = tarHeader(name, { ...file, size: content.length }, '');
    return [header, content, ...(content.length % TAR_BLOCK === 0 ? [] : [padding(content.length)])];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * TAR_BLOCK)]);
}

/** Undefined if there is none, or if it isn't an archive. */
function memberOf(archive: Buffer, name: string): string | undefined {
  for (let at = 0; at + TAR_BLOCK <= archive.length; ) {
    const header = readTarHeader(archive.subarray(at, at + TAR_BLOCK));
    if (header === undefined) return undefined;
    const { size } = header.entry;
    at += TAR_BLOCK;
    if (header.entry.name === name) return archive.toString('utf8', at, at + size);
    at += Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return undefined;
}

/** The error never quotes the file's content, which the client may not be allowed to read. */
function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`it is not an archive with ${MEMBER}`);
  }
}

async function read(file: string): Promise<z.output<typeof schema>> {
  try {
    return schema.parse(jsonOf(memberOf(readSmallFile(file), MEMBER)));
  } catch (error) {
    throw invalid(`"${file}" holds no checkpoint of a container: ${(error as Error).message.split('\n')[0]}`);
  }
}
