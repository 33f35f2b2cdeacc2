import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { readSmallFile } from '../../../src/base/input/text-file.js';
import { invalid } from '../../../src/cri/errors.js';
import type {
  CheckpointBackend,
  ContainerRuntime,
  ContainerSpec,
} from '../../../src/runtime/engine/backend.js';
import { memberOf, packArchive } from './checkpoint-archive.js';
import type { MemoryContainer } from './container.js';

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

/** The error never quotes the file's content, which the client may not be allowed to read. */
function jsonOf(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`it is no archive with ${MEMBER}`);
  }
}

async function read(file: string): Promise<z.output<typeof schema>> {
  try {
    return schema.parse(jsonOf(memberOf(readSmallFile(file), MEMBER)));
  } catch (error) {
    throw invalid(`"${file}" holds no checkpoint of a container: ${(error as Error).message.split('\n')[0]}`);
  }
}
