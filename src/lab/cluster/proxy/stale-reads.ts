import type { Json } from '../../../kubelet/api-server/json.js';
import type { ApiRequest } from './api-request.js';

/** Paths that read an earlier revision, which etcd keeps for five minutes; and which one the program demands at least. */
export function staleRead({ verb, name }: ApiRequest, target: string, revision: number) {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  const wanted = Number(searchParams.get('resourceVersion') ?? 0);
  // These name a revision themselves.
  if (searchParams.get('resourceVersionMatch') === 'Exact' || searchParams.has('continue'))
    return { wanted, list: target, watch: target };
  searchParams.set('resourceVersion', `${revision}`);
  searchParams.delete('sendInitialEvents');
  searchParams.delete('resourceVersionMatch');
  const watch = `${pathname}?${searchParams}`;
  searchParams.delete('watch');
  searchParams.set('resourceVersionMatch', 'Exact');
  if (verb !== 'get') return { wanted, watch, list: `${pathname}?${searchParams}` };
  searchParams.set('fieldSelector', `metadata.name=${name}`);
  return { wanted, watch, list: `${pathname.replace(/\/[^/]*$/, '')}?${searchParams}` };
}

/** Accepts JSON instead, of whole objects or their metadata as before; every client reads it. */
export const jsonOf = (accept = '', end = ';'): string =>
  accept
    .replace(/^[^;,]*([^,]*).*/, 'application/json$1')
    .replace('as=PartialObjectMetadata;', `as=PartialObjectMetadata${end}`);

/** The objects of a list; those of built-in types have no kind there. */
export const itemsOf = ({ kind, apiVersion, items = [] }: Json): readonly Json[] =>
  items.map((item: Json) => ({ kind: kind.replace(/List$/, ''), apiVersion, ...item }));

/** The events with which a watch begins that has this list at its beginning (KEP-3157). */
export function initialEvents(list: Json): readonly Buffer[] {
  const [kind, annotations] = [list.kind.replace(/List$/, ''), { 'k8s.io/initial-events-end': 'true' }];
  const { apiVersion, metadata } = list;
  const end = { kind, apiVersion, metadata: { resourceVersion: metadata.resourceVersion, annotations } };
  const frame = (type: string) => (object: Json) => Buffer.from(`${JSON.stringify({ type, object })}\n`);
  return [...itemsOf(list).map(frame('ADDED')), frame('BOOKMARK')(end)];
}
