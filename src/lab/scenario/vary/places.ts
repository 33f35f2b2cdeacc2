import { isObject } from '../../../base/input/object.js';
import { containerSchema } from '../../../kubelet/kubernetes/container.js';
import { strict } from '../../../kubelet/kubernetes/fields.js';
import { podSpecSchema } from '../../../kubelet/kubernetes/pod.js';

type Node = Record<string, unknown> | unknown[];

export interface Place {
  readonly parent: Node;
  readonly key: string | number;
  readonly value: unknown;
}

/** Optional fields of a scenario, created when needed. */
const MADE = new Set(['kubelet', 'runtime', 'latency', 'seed', 'node', 'until']);

/**
 * Finds the places of a field: the words of a path in order, with others between them. Items of a list go by their
 * name: `web.app.readinessProbe.periodSeconds` selects container `app` of pod `web`, `periodSeconds` selects all
 * probes. A missing field's place is in each pod or container that may have it, or in the object that the second-last
 * word names.
 */
export function placesOf(written: Record<string, unknown>, path: readonly string[]): Place[] {
  const [first = ''] = path;
  // Setting it would change the prototype of all objects.
  if (path.includes('__proto__')) return [];
  if (MADE.has(first)) return [ownPlace(written, path)].flatMap((place) => place ?? []);
  const parents: Parent[] = [];
  collect(written, [], parents);
  const [key = ''] = path.slice(-1);
  const before = path.slice(0, -1);
  const has = parents.filter(({ trail, node }) => Object.hasOwn(node, key) && follow(before, trail));
  const may = parents.filter(
    ({ trail, node }) =>
      before.length > 0 && !Array.isArray(node) && trail.at(-1) === before.at(-1) && follow(before, trail),
  );
  const own = parents.filter((parent) => mayHave(parent, key) && follow(before, parent.trail));
  return ([has, own].find((found) => found.length > 0) ?? may).map(({ node }) => ({
    parent: node,
    key,
    value: (node as Record<string, unknown>)[key],
  }));
}

interface Parent {
  readonly trail: readonly string[];
  readonly node: Record<string, unknown>;
}

/** Whether this is the spec of a pod, or a container, that may have such a field. */
function mayHave({ trail }: Parent, key: string): boolean {
  const [list, last] = trail.slice(-2);
  if (last === 'spec') return Object.hasOwn(podSpecSchema(strict).shape, key);
  const isContainer = list === 'containers' || list === 'initContainers';
  return isContainer && Object.hasOwn(containerSchema(strict).in.shape, key);
}

function collect(value: unknown, trail: readonly string[], found: Parent[]): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, [...trail, ...namesOf(item)], found);
    return;
  }
  if (!isObject(value)) return;
  found.push({ trail, node: value as Record<string, unknown> });
  for (const [key, each] of Object.entries(value)) collect(each, [...trail, key], found);
}

function namesOf(item: unknown): string[] {
  if (!isObject(item)) return [];
  const { name, manifest } = item;
  if (typeof name === 'string') return [name];
  if (!isObject(manifest) || !isObject(manifest.metadata)) return [];
  return typeof manifest.metadata.name === 'string' ? [manifest.metadata.name] : [];
}

function follow(words: readonly string[], names: readonly string[]): boolean {
  let at = 0;
  for (const name of names) if (name === words[at]) at++;
  return at === words.length;
}

/** Place of a field of the scenario itself; undefined if something other than an object is in the way. */
function ownPlace(written: Record<string, unknown>, path: readonly string[]): Place | undefined {
  let parent = written;
  for (const key of path.slice(0, -1)) {
    parent[key] ??= {};
    const next = parent[key];
    if (!isObject(next)) return undefined;
    parent = next as Record<string, unknown>;
  }
  const [key = ''] = path.slice(-1);
  return { parent, key, value: parent[key] };
}
