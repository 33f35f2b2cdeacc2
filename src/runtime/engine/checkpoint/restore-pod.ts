import { isAbsolute, join } from 'node:path';
import { invalid } from '../../../cri/errors.js';
import type {
  ContainerConfig,
  RestorePodRequest,
  RestorePodResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { CheckpointBackend } from '../backend.js';
import { type Engine, uncancelled } from '../engine.js';
import { createContainer, type MakeContainer } from '../lifecycle/container.js';
import { removeSandbox, runSandbox } from '../lifecycle/sandbox.js';
import { type CheckpointManifest, readManifest } from './manifest.js';

/** Creates a sandbox and CREATED containers from a checkpoint. Cleans up on failure (RestorePod, INV-55). */
export async function restorePod(
  engine: Engine,
  checkpoints: CheckpointBackend,
  { checkpointPath, config, runtimeHandler, containerConfigs }: RestorePodRequest,
  signal: AbortSignal,
): Promise<RestorePodResponse> {
  if (!isAbsolute(checkpointPath))
    throw invalid(`checkpoint_path "${checkpointPath}" must be an absolute path`);
  if (config === undefined) throw invalid('sandbox config is missing');
  const files = matchFiles(await readManifest(checkpointPath), containerConfigs);
  const sandbox = await runSandbox(engine, config, runtimeHandler, { signal });
  try {
    const restoredContainers: RestorePodResponse['restoredContainers'] = [];
    for (const containerConfig of containerConfigs) {
      const name = containerConfig.metadata?.name ?? '';
      const file = join(checkpointPath, files.get(name) as string);
      const make: MakeContainer = (spec, until) =>
        checkpoints.restoreContainer(spec, file, { signal: until });
      const { id } = await createContainer(engine, {
        sandbox,
        config: containerConfig,
        sandboxConfig: config,
        make,
        signal,
      });
      restoredContainers.push({ name, containerId: id });
    }
    return { podSandboxId: sandbox.id, restoredContainers };
  } catch (error) {
    await engine.queue.run(sandbox.id, uncancelled().signal, async () => {
      if (engine.store.sandboxes.has(sandbox.id)) await removeSandbox(engine, sandbox);
    });
    throw error;
  }
}

function matchFiles(
  { containers }: CheckpointManifest,
  configs: readonly ContainerConfig[],
): Map<string, string> {
  if (configs.length === 0) throw invalid('container_configs is empty');
  const files = new Map(containers.map(({ name, file }) => [name, file]));
  const given = new Set(configs.map(({ metadata }) => metadata?.name ?? ''));
  if (given.size !== configs.length) throw invalid('container_configs names a container twice');
  const differ = given.size !== files.size || [...given].some((name) => !files.has(name));
  if (differ)
    throw invalid(
      `container_configs names ${quote(given)}, but the checkpoint holds ${quote(files.keys())}: they must be the same`,
    );
  return files;
}

function quote(names: Iterable<string>): string {
  return Array.from(names, (name) => `"${name}"`).join(', ');
}
