import type { PodServices } from '../../../kubelet/hosts/services.js';
import { type KubeObjects, noObjects } from '../../../kubelet/kube-objects.js';
import { dataIn, dataKindOf, dataReferences } from '../../../kubelet/kubernetes/data-objects.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import { readPods } from '../file/pods.js';

/** The data that a scenario does not have. */
const PLACEHOLDER = Buffer.from('placeholder');

type Data = ReadonlyMap<string, Buffer>;

/**
 * The ConfigMaps, Secrets and Services of a scenario, as its kubelet reads them. A file rarely has all of them: one that is missing has
 * the keys that pods name, with a placeholder, unless all that refer to it can do without.
 */
export function createScenarioObjects(
  scenario: LoadedScenario,
  { addresses }: Pick<PodServices, 'addresses'>,
): KubeObjects {
  const known = new Map<string, Data>(
    scenario.objects.flatMap((object) => {
      if (object.kind === 'Service') return [];
      const { namespace, name } = object.metadata;
      return [[`${dataKindOf(object)} ${namespace}/${name}`, dataIn(object)] as const];
    }),
  );
  let placeholders: ReadonlyMap<string, Data> | undefined;
  return {
    ...noObjects,
    services: addresses,
    token: (pod, source) =>
      pod.source === 'api' ? Promise.resolve(PLACEHOLDER) : noObjects.token(pod, source),
    data: async (kind, namespace, name) => {
      const key = `${kind} ${namespace}/${name}`;
      if (known.has(key)) return known.get(key);
      placeholders ??= placeholdersOf(scenario);
      return placeholders.get(key);
    },
  };
}

function placeholdersOf(scenario: LoadedScenario): ReadonlyMap<string, Data> {
  const added = scenario.timeline.flatMap(({ do: { addPod } }) => addPod ?? []);
  const found = new Map<string, Map<string, Buffer>>();
  for (const { metadata, spec } of [...scenario.pods, ...added].flatMap((pod) => readPods(scenario, pod)))
    for (const { kind, name, keys, isOptional } of dataReferences(spec)) {
      if (isOptional) continue;
      const key = `${kind} ${metadata.namespace}/${name}`;
      const data = found.get(key) ?? new Map<string, Buffer>();
      for (const each of keys) data.set(each, PLACEHOLDER);
      found.set(key, data);
    }
  return found;
}
