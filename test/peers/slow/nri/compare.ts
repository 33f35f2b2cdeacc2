import { type Leaves, leavesOf } from '../../../../src/lab/explore/plugins/leaves.js';
import type { Lived, Recorded } from './side.js';

/** A difference between both runtimes. */
export interface Difference {
  readonly life: string;
  /** The difference, without parts that depend on the life. */
  readonly kind: string;
  readonly left: string;
  readonly right: string;
}

type Differ = (kind: string, one: string, other: string) => void;

function collect(life: string, compare: (differ: Differ) => void): Difference[] {
  const found: Difference[] = [];
  compare((kind, left, right) => {
    if (left !== right) found.push({ life, kind, left, right });
  });
  return found;
}

/** All differences in the runtimes' first requests to plugins. */
export const compareConfigurations = (left: readonly object[], right: readonly object[]): Difference[] =>
  collect('before all lives', (differ) => {
    for (const [index, request] of left.entries())
      documents('request (Configure)', leavesIn(request), leavesIn(right[index]), differ);
  });

/** All differences between the same life on two runtimes. */
export const compareLives = (life: string, left: Lived, right: Lived): Difference[] =>
  collect(life, (differ) => compareAll(left, right, differ));

function compareAll(left: Lived, right: Lived, differ: Differ): void {
  for (const [index, answer] of left.answers.entries())
    differ('answer', named(answer, left), named(right.answers[index] ?? 'nothing', right));
  const sequence = (lived: Lived) => inOrder(lived.requests).map(nameOf).join(', ');
  differ('sequence of requests', sequence(left), sequence(right));
  if (sequence(left) === sequence(right))
    for (const [index, { method, request }] of inOrder(left.requests).entries())
      documents(
        `request (${method})`,
        leaves(request, left),
        leaves(inOrder(right.requests)[index]?.request, right),
        differ,
      );
  for (const [name, spec] of left.specs)
    documents(`spec (${name})`, leaves(spec, left), leaves(right.specs.get(name), right), differ);
}

function documents(what: string, one: Leaves, other: Leaves, differ: Differ): void {
  const [kind = '', where] = what.split(/(?= \()/);
  for (const path of new Set([...one.keys(), ...other.keys()])) {
    const text = (leaves: Leaves) => `${leaves.get(path) ?? 'nothing'}${where}`;
    differ(`${kind}: ${path}`, text(one), text(other));
  }
}

/** The values of a document, with names instead of ids. */
const leaves = (document: unknown, lived: Lived): Leaves => leavesIn(document, (text) => named(text, lived));

/** The values of a document; values without JSON form become text. */
function leavesIn(document: unknown, change = (text: string): string => text): Leaves {
  const text = JSON.stringify(document ?? null, (_, value: unknown) =>
    typeof value === 'bigint'
      ? String(value)
      : value instanceof Uint8Array
        ? Buffer.from(value).toString()
        : value,
  );
  return leavesOf(JSON.parse(change(text)));
}

/** Sorts requests that a runtime sends concurrently, in any order. */
function inOrder(requests: readonly Recorded[]): Recorded[] {
  const ordered = [...requests];
  for (let index = 1; index < ordered.length; index++)
    for (let at = index; at > 0; at--) {
      const [before, after] = [ordered[at - 1], ordered[at]];
      if (!before || !after || !areTurned(before, after)) break;
      [ordered[at - 1], ordered[at]] = [after, before];
    }
  return ordered;
}

/** Validators are called concurrently, and the containers of a pod are stopped concurrently, each with all plugins. */
function areTurned(before: Recorded, after: Recorded): boolean {
  const all = [before, after];
  if (all.every(({ method }) => method.startsWith('Validate'))) return before.plugin > after.plugin;
  const [one = '', other = ''] = all.map(({ request }) => request.container?.name);
  return all.every(({ method }) => method === 'StopContainer') && one > other;
}

const nameOf = ({ plugin, method, request: { pod, container } }: Recorded): string =>
  `${plugin} ${method} ${container?.name ?? (pod === undefined ? '' : '<pod>')}`.trim();

/** With names instead of ids, times, and other values of one run. */
function named(text: string, { names }: Lived): string {
  let result = text;
  for (const [id, name] of names) result = result.replaceAll(id, name);
  return (
    result
      .replace(/[0-9a-f]{64}/g, '<id>')
      .replace(/\/[\w./-]+\/memory-(?:containerd|crio)-\w+\//g, '<dir>/')
      .replace(/<dir>\/root-[\d.]+\/io/g, '/var/lib/containerd/io')
      .replace(/<dir>\/state-[\d.]+\/io/g, '/run/containerd/io')
      .replace(/<dir>\/storage\//g, '/var/lib/containers/storage/')
      .replace(/<dir>\/run\//g, '/run/containers/storage/')
      .replace(/<dir>\/logs\//g, '/var/log/crio/pods/')
      .replace(/<dir>\/namespaces\//g, '/var/run/')
      .replace(/(\/(?:ipc|net|uts)ns\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '$1<id>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)/g, '<time>')
      .replace(/\/proc\/\d+\//g, '/proc/<pid>/')
      .replace(/\/netns\/cni-[\w-]+/g, '/netns/cni-<id>')
      .replace(/"(pid)":[1-9]\d*/g, '"$1":1')
      .replace(/"(createdAt|startedAt|finishedAt)":"[1-9]\d*"/g, '"$1":"<time>"')
      .replace(/"(?:10|127)\.\d+\.\d+\.\d+"/g, '"<ip>"')
      // The image of sandboxes in the configuration of the peers.
      .replaceAll('localhost:5000/pause:3.9', 'registry.k8s.io/pause:3.10')
  );
}
