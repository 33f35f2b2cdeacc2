import { isUtf8 } from 'node:buffer';
import type { Json } from '../../../kubelet/api-server/json.js';
import type { PodServices } from '../../../kubelet/hosts/services.js';
import { type KubeObjects, noObjects } from '../../../kubelet/kube-objects.js';
import { dataIn, dataKindOf, dataReferences } from '../../../kubelet/kubernetes/data-objects.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import { allPods } from '../file/pods.js';

const PLACEHOLDER = Buffer.from('placeholder');

type Data = ReadonlyMap<string, Buffer>;

const knownData = (scenario: LoadedScenario): ReadonlyMap<string, Data> =>
  new Map(
    scenario.objects.flatMap((object) => {
      if (object.kind === 'Service') return [];
      const { namespace, name } = object.metadata;
      return [[`${dataKindOf(object)} ${namespace}/${name}`, dataIn(object)] as const];
    }),
  );

/**
 * ConfigMaps, Secrets and Services for the kubelet. A missing object gets the keys that pods name, with a placeholder
 * as value, unless every reference to it is optional.
 */
export function createScenarioObjects(
  scenario: LoadedScenario,
  { addresses }: Pick<PodServices, 'addresses'>,
): KubeObjects {
  const known = knownData(scenario);
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
  const found = new Map<string, Map<string, Buffer>>();
  for (const { metadata, spec } of allPods(scenario))
    for (const { kind, name, keys, isOptional } of dataReferences(spec)) {
      if (isOptional) continue;
      const key = `${kind} ${metadata.namespace}/${name}`;
      const data = found.get(key) ?? new Map<string, Buffer>();
      for (const each of keys) data.set(each, PLACEHOLDER);
      found.set(key, data);
    }
  return found;
}

export function apiObjectsOf(
  scenario: LoadedScenario,
  { addresses }: Pick<PodServices, 'addresses'>,
): ReadonlyMap<string, Json> {
  const data = [...placeholdersOf(scenario), ...knownData(scenario)].map(([key, values]) => {
    const [kind = '', namespace = '', name = ''] = key.split(/[ /]/);
    return dataObject(kind, { namespace, name }, values);
  });
  const services = scenario.objects.flatMap((object) => {
    if (object.kind !== 'Service') return [];
    const { namespace, name } = object.metadata;
    const { clusterIP = 'None' } = addresses(namespace).find((each) => each.name === name) ?? {};
    return [
      [
        `/api/v1/namespaces/${namespace}/services/${name}`,
        { ...object, spec: { ...object.spec, clusterIP } },
      ] as const,
    ];
  });
  return new Map<string, Json>([...data, ...services]);
}

function dataObject(
  kind: string,
  metadata: { readonly namespace: string; readonly name: string },
  values: Data,
) {
  const isSecret = kind === 'secret';
  const path = `/api/v1/namespaces/${metadata.namespace}/${isSecret ? 'secrets' : 'configmaps'}/${metadata.name}`;
  const encoded = (wanted: boolean, encoding: 'utf8' | 'base64') =>
    Object.fromEntries(
      [...values].flatMap(([key, value]) =>
        (isSecret || isUtf8(value)) === wanted ? [[key, value.toString(encoding)]] : [],
      ),
    );
  const object = isSecret
    ? { kind: 'Secret', data: encoded(true, 'base64') }
    : { kind: 'ConfigMap', data: encoded(true, 'utf8'), binaryData: encoded(false, 'base64') };
  return [path, { apiVersion: 'v1', metadata, ...object }] as const;
}
