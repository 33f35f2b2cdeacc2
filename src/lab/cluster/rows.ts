import type { Json } from '../../kubelet/api-server/json.js';
import type { Api } from './control/api.js';
import { findResource, pathOf, type Resource } from './control/resources.js';
import type { Counted } from './file/schema.js';

/** Rows as the API server prints them for kubectl. */
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
/** Longest watch in s: the server would end others after half an hour. */
const LONGEST = 30 * 24 * 3600;

export interface Row {
  readonly object: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** By column, as `kubectl get` shows them, without the age. */
  readonly cells: Readonly<Record<string, unknown>>;
}

const watchPath = (resource: Resource, namespace?: string, selector?: string): string => {
  const labels = selector === undefined ? '' : `&labelSelector=${encodeURIComponent(selector)}`;
  return `${pathOf(resource, namespace)}?watch=true&timeoutSeconds=${LONGEST}${labels}`;
};

const isRow = (type: string): type is Row['type'] => ['ADDED', 'MODIFIED', 'DELETED'].includes(type);

/** Calls `changed` with each row that differs from the object's previous one. */
export function watchRows(api: Api, resource: Resource, changed: (row: Row) => void): Promise<void> {
  const last = new Map<string, string>();
  let columns: readonly { readonly name: string; readonly priority: number }[] = [];
  return api.watch(watchPath(resource), TABLE, ({ type, object }) => {
    // Only the first event of a watch has them.
    columns = object.columnDefinitions ?? columns;
    for (const { cells, object: about } of object.rows ?? []) {
      if (!isRow(type)) continue;
      const shown = columns.flatMap(({ name, priority }, index) =>
        priority > 0 || /^(name|age)$/i.test(name) ? [] : [[name, cells[index]] as const],
      );
      const { namespace = 'default', name } = about.metadata;
      const object = `${resource.name}/${namespace === 'default' ? '' : `${namespace}/`}${name}`;
      const text = JSON.stringify(shown);
      if (type !== 'DELETED' && last.get(object) === text) continue;
      if (type === 'DELETED') last.delete(object);
      else last.set(object, text);
      changed({ object, type, cells: Object.fromEntries(shown) });
    }
  });
}

/** Counts objects that are not being deleted; calls `changed` with each new number. */
export function watchCount(
  api: Api,
  all: readonly Resource[],
  counted: Counted,
  changed: (count: number) => void,
): Promise<void> {
  const resource = findResource(all, counted.count);
  const present = new Set<string>();
  const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
  return api.watch(
    watchPath(resource, counted.namespace, counted.selector),
    accept,
    ({ type, object }: Json) => {
      if (!isRow(type)) return;
      const { uid, deletionTimestamp } = object.metadata;
      const before = present.size;
      if (type === 'DELETED' || deletionTimestamp !== undefined) present.delete(uid);
      else present.add(uid);
      if (present.size !== before) changed(present.size);
    },
  );
}
