import { didYouMean } from '../../../base/input/suggest.js';
import type { Json } from '../../../kubelet/api-server/json.js';
import { type Api, ApiRefusal } from './api.js';

export interface Resource {
  /** `pods`, `deployments.apps`. */
  readonly name: string;
  readonly kind: string;
  readonly group: string;
  readonly version: string;
  readonly isNamespaced: boolean;
  readonly shortNames: readonly string[];
  readonly verbs: readonly string[];
}

const DISCOVERY = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** All resources that the API server has now; each in its preferred version first. */
export async function discover(api: Api): Promise<readonly Resource[]> {
  const found: Resource[] = [];
  for (const path of ['/api', '/apis']) {
    const { items } = await api.send({ method: 'GET', path, accept: DISCOVERY });
    for (const { metadata, versions } of items)
      for (const { version, resources } of versions ?? [])
        for (const each of resources ?? []) found.push(resourceOf(metadata.name ?? '', version, each));
  }
  return found;
}

const resourceOf = (group: string, version: string, { resource, responseKind, ...rest }: Json): Resource => ({
  name: group === '' ? resource : `${resource}.${group}`,
  kind: responseKind.kind,
  group,
  version,
  isNamespaced: rest.scope === 'Namespaced',
  shortNames: rest.shortNames ?? [],
  verbs: rest.verbs ?? [],
});

/** Finds `pods`, `po`, `pod` or `deployments.apps`, as kubectl does. Throws ApiRefusal. */
export function findResource(all: readonly Resource[], named: string): Resource {
  const [plural = '', ...group] = named.split('.');
  const wanted = group.join('.');
  const found = all.find(
    ({ name, kind, shortNames, group: own }) =>
      (wanted === '' || wanted === own) &&
      (name.split('.')[0] === plural || kind.toLowerCase() === plural || shortNames.includes(plural)),
  );
  if (found !== undefined) return found;
  const names = all.map(({ name }) => name);
  throw new ApiRefusal(`the API server has no resource ${JSON.stringify(named)}${didYouMean(named, names)}`);
}

export function resourceOfObject(all: readonly Resource[], { apiVersion = '', kind }: Json): Resource {
  const found = all.find(
    (each) => each.kind === kind && apiVersion === [each.group, each.version].filter(Boolean).join('/'),
  );
  if (found !== undefined) return found;
  throw new ApiRefusal(`the API server has no ${kind} of ${apiVersion}`);
}

export function pathOf(
  { name, group, version, isNamespaced }: Resource,
  namespace?: string,
  object?: string,
): string {
  const [plural] = name.split('.');
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const inside =
    isNamespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${base}${inside}/${plural}${object === undefined ? '' : `/${encodeURIComponent(object)}`}`;
}

/** Server-side apply: creates or changes the object. */
export async function applyObject(
  api: Api,
  all: readonly Resource[],
  object: Json,
  namespace: string,
): Promise<string> {
  const resource = resourceOfObject(all, object);
  const { name, namespace: own = namespace } = object.metadata;
  await api.send({
    method: 'PATCH',
    path: `${pathOf(resource, own, name)}?fieldManager=mockri&force=true`,
    body: object,
    contentType: 'application/apply-patch+yaml',
  });
  return `${resource.name}/${name}`;
}
