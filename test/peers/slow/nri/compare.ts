import { type Leaves, leavesOf } from '../../../../src/lab/explore/plugins/leaves.js';
import type { Lived, Recorded } from './side.js';

/** Something that is not the same on both runtimes. */
export interface Difference {
  readonly life: string;
  /** What differs, without what depends on the life. */
  readonly kind: string;
  readonly left: string;
  readonly right: string;
}

type Differ = (kind: string, one: string, other: string) => void;

/** Collects what differs. */
function collect(life: string, compare: (differ: Differ) => void): Difference[] {
  const found: Difference[] = [];
  compare((kind, left, right) => {
    if (left !== right) found.push({ life, kind, left, right });
  });
  return found;
}

/** Everything that differs in what two runtimes tell plugins when they come. */
export const compareConfigurations = (left: readonly object[], right: readonly object[]): Difference[] =>
  collect('before all lives', (differ) => {
    for (const [index, request] of left.entries())
      documents('request (Configure)', leavesIn(request), leavesIn(right[index]), differ);
  });

/** Everything that differs between the same life on two runtimes. */
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

/** The values of a document, with names in place of ids. */
const leaves = (document: unknown, lived: Lived): Leaves => leavesIn(document, (text) => named(text, lived));

/** The values of a document; what JSON has no form for is text. */
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

/** Those that a runtime sends at the same time, in any order, are in one order here. */
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

/** Validators are asked at once, and the containers of a pod are stopped at once, each with all plugins. */
function areTurned(before: Recorded, after: Recorded): boolean {
  const all = [before, after];
  if (all.every(({ method }) => method.startsWith('Validate'))) return before.plugin > after.plugin;
  const [one = '', other = ''] = all.map(({ request }) => request.container?.name);
  return all.every(({ method }) => method === 'StopContainer') && one > other;
}

const nameOf = ({ plugin, method, request: { pod, container } }: Recorded): string =>
  `${plugin} ${method} ${container?.name ?? (pod === undefined ? '' : '<pod>')}`.trim();

/** With names in place of ids, of times, and of what only a run has. */
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
