import { readdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { invalid } from '../../../cri/errors.js';
import type { CheckpointPodRequest } from '../../../cri/gen/runtime/v1/api.js';
import type { CheckpointBackend } from '../backend.js';
import { cancelled, type Engine } from '../engine.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { writeManifest } from './manifest.js';

/** Pauses the given containers, saves and resumes them, in the pod's queue. Cleans up on failure (INV-55). */
export async function checkpointPod(
  engine: Engine,
  checkpoints: CheckpointBackend,
  sandbox: SandboxRecord,
  { outputPath, containerIds }: CheckpointPodRequest,
  signal: AbortSignal,
): Promise<void> {
  engine.transitions.allowSandbox('CheckpointPod', sandbox.id, sandbox.state);
  const records = chosen(engine, sandbox, containerIds);
  await requireEmpty(outputPath);
  const containers = records.map(({ name }, index) => ({ name, file: `container-${index}.checkpoint` }));
  try {
    await paused(checkpoints, records, async () => {
      for (const [index, { file }] of containers.entries()) {
        const { id } = records[index] as ContainerRecord;
        await checkpoints.saveContainer(id, join(outputPath, file), { signal });
      }
      await writeManifest(outputPath, { version: 1, containers });
      if (signal.aborted) throw cancelled('CheckpointPod');
    });
  } catch (error) {
    await empty(outputPath);
    throw error;
  }
}

/** Pauses the containers during a task; resumes each of them even if another one can't be resumed. */
export async function paused(
  checkpoints: CheckpointBackend,
  records: readonly ContainerRecord[],
  task: () => Promise<void>,
): Promise<void> {
  const resumable: string[] = [];
  try {
    for (const { id } of records) {
      await checkpoints.pauseContainer(id);
      resumable.push(id);
    }
    await task();
  } finally {
    const resumed = await Promise.allSettled(resumable.map((id) => checkpoints.resumeContainer(id)));
    const failed = resumed.find((result) => result.status === 'rejected');
    // biome-ignore lint/correctness/noUnsafeFinally: a container left paused is worse than what went wrong before
    if (failed !== undefined) throw failed.reason;
  }
}

function chosen(engine: Engine, sandbox: SandboxRecord, ids: readonly string[]): ContainerRecord[] {
  if (ids.length === 0) throw invalid('container_ids is empty: name the containers to checkpoint');
  const records = ids.map((id) => engine.store.containers.get(id));
  if (new Set(records).size !== records.length) throw invalid('container_ids names a container twice');
  for (const record of records) {
    if (record.sandbox !== sandbox)
      throw invalid(
        `container "${record.id}" is not in sandbox "${sandbox.id}" but in "${record.sandbox.id}"`,
      );
    engine.transitions.allowContainer('CheckpointPod', record.id, record.phase.state);
  }
  const names = new Set(records.map(({ name }) => name));
  if (names.size !== records.length) throw invalid('container_ids names two containers of the same name');
  return records;
}

async function requireEmpty(directory: string): Promise<void> {
  if (!isAbsolute(directory)) throw invalid(`output_path "${directory}" must be an absolute path`);
  const entries = await readdir(directory).catch((error: Error) => {
    throw invalid(`output_path "${directory}" must be a directory that exists: ${error.message}`);
  });
  if (entries.length > 0) throw invalid(`output_path "${directory}" must be empty, it holds "${entries[0]}"`);
}

async function empty(directory: string): Promise<void> {
  for (const entry of await readdir(directory)) await rm(join(directory, entry), { recursive: true });
}
