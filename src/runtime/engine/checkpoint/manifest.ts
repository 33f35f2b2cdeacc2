import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf } from '../../../base/input/error-text.js';
import { readJsonFile } from '../../../base/input/text-file.js';
import { invalid } from '../../../cri/errors.js';

const MANIFEST = 'pod.json';

const schema = z.object({
  version: z.literal(1),
  // The pattern keeps a forged manifest from naming files outside its directory.
  containers: z.array(z.object({ name: z.string(), file: z.string().regex(/^container-\d+\.checkpoint$/) })),
});

export type CheckpointManifest = z.infer<typeof schema>;

/** Fails if there is a manifest already: checkpoints are never overwritten. */
export async function writeManifest(directory: string, manifest: CheckpointManifest): Promise<void> {
  await writeFile(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' });
}

/** Throws `invalid` for a directory without a manifest, and for an unknown format. */
export async function readManifest(directory: string): Promise<CheckpointManifest> {
  try {
    return schema.parse(readJsonFile(join(directory, MANIFEST)));
  } catch (error) {
    throw invalid(`checkpoint_path "${directory}" holds no pod checkpoint: ${firstLine(error)}`);
  }
}

function firstLine(error: unknown): string {
  return messageOf(error).split('\n', 1)[0] ?? '';
}
