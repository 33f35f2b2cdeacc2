import type { Json } from './json.js';

/** patchMergeKey in types.go of k8s.io/api, for the lists that nodes patch. */
const mergeKeys: Readonly<Record<string, string>> = {
  conditions: 'type',
  addresses: 'type',
  podIPs: 'ip',
  hostIPs: 'ip',
  ownerReferences: 'uid',
};

/** Strategic merge patch: merges lists that have a merge key and replaces all others. */
export function mergePatch(old: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const made: Json = { ...(old as Json | undefined) };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const mergeKey = Object.hasOwn(mergeKeys, key) ? mergeKeys[key] : undefined;
    if (value === null) delete made[key];
    else if (Array.isArray(value) && mergeKey !== undefined)
      made[key] = mergeList(made[key] ?? [], value, mergeKey);
    else made[key] = mergePatch(made[key], value);
  }
  return made;
}

function mergeList(old: readonly Json[], patch: readonly Json[], key: string): Json[] {
  const isReplaced = patch.some(({ $patch }) => $patch === 'replace');
  const made = new Map(isReplaced ? [] : old.map((item) => [item[key], item]));
  for (const item of patch) {
    if (item.$patch === 'delete') made.delete(item[key]);
    else if (item.$patch !== 'replace')
      made.set(item[key], mergePatch(made.get(item[key]) ?? {}, item) as Json);
  }
  return [...made.values()];
}
