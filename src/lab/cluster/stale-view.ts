import { type ApiRequest, objectText } from './proxy/api-request.js';
import type { Hidden } from './proxy/view.js';

const MOST_LISTED = 10;

/** What a program had not been shown when it wrote: the last change of each kind, those of the written object first. */
export function staleView(written: ApiRequest, unseen: readonly Hidden[]) {
  const [plural] = written.resource.split('/');
  const distance = ({ resource, name }: Hidden) =>
    Number(resource !== plural) * 2 + Number(name !== written.name);
  const changes = [...unseen].sort((a, b) => distance(a) - distance(b)).map(changeOf);
  const last = new Map(changes.map((each) => [`${each.object} ${each.change}`, each]));
  return [...last.values()].slice(0, MOST_LISTED);
}

const changeOf = ({ cause: { fault, then }, type, revision, time, ...object }: Hidden) => ({
  object: objectText(object),
  change: type === 'MODIFIED' && object.isEnding ? 'marked for deletion' : (CHANGES[type] ?? type),
  ...{ revision, time, fault, action: Object.keys(then).join() },
});

const CHANGES: Record<string, string> = { ADDED: 'created', MODIFIED: 'changed', DELETED: 'deleted' };

/** In words, at the time of the write. */
export function staleViewText(now: number, view: ReturnType<typeof staleView>): string {
  const seen = view.map(
    ({ object, change, time }) => `${object} (${change} ${((now - time) / 1000).toFixed(1)}s ago)`,
  );
  const faults = new Set(view.map(({ fault, action }) => `${fault} (${action})`));
  return `it had not seen ${seen.join(', ')}, because of fault ${[...faults].join(', ')}`;
}
