import type { Backend } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { toCriError } from '../errors.js';
import type { Pods } from '../pods/pods.js';
import { containerUsage, measure, sandboxUsage, writableLayer } from './usage.js';

type Usage = Pick<Backend, 'containerUsage' | 'sandboxUsage'>;

/** One request per container: Docker has no list of measurements. */
export function createUsage(context: () => Context, pods: Pods): Usage {
  return {
    containerUsage: (ids) =>
      collect(ids, async (id) => {
        const container = pods.containers.get(id);
        if (!container?.isRunning) return undefined;
        const [stats, layer] = await Promise.all([
          measure(container.docker),
          writableLayer(context(), container.docker),
        ]);
        return stats && containerUsage(stats, layer);
      }),
    sandboxUsage: (ids) =>
      collect(ids, async (id) => {
        const sandbox = pods.sandboxes.get(id);
        if (!sandbox?.isRunning) return undefined;
        const members = [...pods.containers.values()].filter(
          ({ spec, isRunning }) => isRunning && spec.sandboxId === id,
        );
        const [own, ...others] = await Promise.all(
          [sandbox, ...members].map(({ docker }) => measure(docker)),
        );
        return (
          own &&
          sandboxUsage(
            own,
            others.flatMap((one) => one ?? []),
          )
        );
      }),
  };
}

async function collect<T>(
  ids: readonly string[],
  one: (id: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  try {
    const found = await Promise.all(ids.map(async (id) => [id, await one(id)] as const));
    return new Map(found.flatMap(([id, usage]) => (usage === undefined ? [] : [[id, usage] as const])));
  } catch (error) {
    throw toCriError(error, 'measuring containers');
  }
}
