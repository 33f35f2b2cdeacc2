import { isDeepStrictEqual } from 'node:util';
import { append } from '../../../base/input/group-by.js';
import type { Api } from '../control/api.js';
import { discover, pathOf } from '../control/resources.js';
import { isPassing } from '../proxy/api-request.js';

/** How a run ended, without what differs in each run. */
export interface Outcome {
  /** Specs of objects by name; those with a generated name have one entry together, with their number. */
  readonly objects: ReadonlyMap<string, unknown>;
  /** Successful creations and deletions, by program and resource. */
  readonly changes: ReadonlyMap<string, number>;
  /** Writes of all programs in the last minute. */
  readonly lateWrites: number;
}

/** Namespaces and objects that the control plane keeps for itself. */
const OWN = /^(kube-|default\/kubernetes$)/;

/** All objects that the API server can list. */
export async function snapshot(api: Api): Promise<Outcome['objects']> {
  const found = new Map<string, unknown[]>();
  const listed = new Set<string>();
  for (const resource of await discover(api)) {
    const { name } = resource;
    if (!resource.verbs.includes('list') || !resource.verbs.includes('create')) continue;
    // Each in its preferred version.
    if (isPassing(name) || listed.has(name)) continue;
    listed.add(name);
    const { items } = await api.send({ method: 'GET', path: pathOf(resource) });
    for (const { metadata, spec, status } of items ?? []) {
      if (OWN.test(`${metadata.namespace ?? ''}/${metadata.name}`)) continue;
      const base = metadata.generateName === undefined ? metadata.name : `${metadata.generateName}*`;
      const key = [name, metadata.namespace, base].filter(Boolean).join('/');
      const deleted = metadata.deletionTimestamp === undefined ? undefined : true;
      append(found, key, general({ spec, phase: status?.phase, deleted }));
    }
  }
  const text = (value: unknown) => JSON.stringify(value) ?? '';
  return new Map(
    [...found].map(([key, all]) => [key, all.sort((a, b) => text(a).localeCompare(text(b)))] as const),
  );
}

/** Fields with other values in each run. */
const CHOSEN = new Set(['nodeName', 'clusterIP', 'clusterIPs', 'uid']);
/** Uids, times, and the suffixes of generated names (apimachinery/pkg/util/rand). */
const RANDOM =
  /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;

function general(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(RANDOM, '-*');
  if (Array.isArray(value)) return value.map(general);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (CHOSEN.has(key) ? [] : [[key, general(each)]])),
  );
}

/** Names of objects that are not as they are after the other run; each says how. */
export function differences(objects: Outcome['objects'], wanted: Outcome['objects']): readonly string[] {
  const number = (all: unknown) => (Array.isArray(all) ? all.length : 0);
  return [...new Set([...wanted.keys(), ...objects.keys()])].sort().flatMap((key) => {
    const [is, should] = [objects.get(key), wanted.get(key)];
    if (isDeepStrictEqual(is, should)) return [];
    return number(is) === number(should)
      ? [`${key} has another spec or phase than without the fault`]
      : [`${number(is)} of ${key}, without the fault ${number(should)}`];
  });
}

/** Writes in the last minute above those without the fault that count as endless. */
const MANY = 20;

/** What a run did and left that the one without the fault did not. */
export function problemsOf(outcome: Outcome, wanted: Outcome): readonly string[] {
  const more = [...outcome.changes].flatMap(([change, count]) => {
    const usual = wanted.changes.get(change) ?? 0;
    return count > usual ? [`${change} ${count} times, without the fault ${usual}`] : [];
  });
  const writes = outcome.lateWrites - wanted.lateWrites;
  const endless =
    writes > MANY
      ? [`${outcome.lateWrites} writes in the last minute, without the fault ${wanted.lateWrites}`]
      : [];
  return [...more, ...differences(outcome.objects, wanted.objects), ...endless];
}
