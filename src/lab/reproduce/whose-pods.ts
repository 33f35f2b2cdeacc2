import { groupBy } from '../../base/input/group-by.js';
import { InputError } from '../../base/input/yaml.js';
import { podText } from '../../tape/pod-text.js';
import type { LoadedPod, LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { listed } from '../scenario/manifests/listed.js';
import type { Seen, SeenFile } from './facts.js';
import { familiesOf, type PodFamily } from './pod-families.js';
import { SOME_POD } from './read/context.js';

export interface WhosePods {
  readonly scenario: LoadedScenario;
  /** Observations about these pods and the node, by the scenario's pod names, for each file. */
  readonly saw: readonly (readonly Seen[])[];
  readonly others: readonly string[];
}

/** Maximum number of simulated replicas of one controller: each one lengthens a run. */
const MOST_REPLICAS = 5;

/** `chosen` selects observed pods; default: all that match by name. Throws InputError if there are none. */
export function whosePods(
  given: LoadedScenario,
  files: readonly SeenFile[],
  chosen: readonly string[] = [],
): WhosePods {
  const all = files.flatMap(({ seen }) => seen);
  const names = [...new Set(all.flatMap(podOf))];
  const unknown = chosen.find((each) => !names.some((name) => isCalled(name, each)));
  if (unknown !== undefined)
    throw new InputError([`--pod: nothing was seen of ${unknown}; seen were ${listed(names) || 'no pods'}`]);
  const families = familiesOf(given);
  const wanted =
    chosen.length === 0 ? names : names.filter((name) => chosen.some((each) => isCalled(name, each)));
  const matching = replicasOf(families, wanted, all);
  const replicas = matching.length > 0 ? matching : lonely(families, wanted, chosen.length > 0);
  const nameOf = new Map(
    replicas.flatMap(({ family: { namespace }, name, seen }) =>
      seen.map((each): [string, string] => [each, podText({ name, namespace })]),
    ),
  );
  const runs = families.flatMap(({ namespace, names }) => names.map((name) => podText({ name, namespace })));
  const others = names.filter((name) => !nameOf.has(name));
  if (others.length > 0 && nameOf.size === 0)
    throw new InputError([
      `--saw: ${files.map(({ file }) => file).join(', ')}: it shows ${listed(others)}, and none of these is a pod of ${given.file}, which has ${listed(runs)}; choose one with --pod NAME`,
    ]);
  // A text without names is about the only pod, or the chosen one.
  const [only, ...more] = nameOf.size > 0 ? new Set(nameOf.values()) : runs;
  if (only !== undefined && more.length === 0) nameOf.set(SOME_POD, only);
  const saw = files.map(({ seen }) =>
    seen.flatMap((each): Seen[] => {
      if (!('pod' in each) || each.pod === '') return [each];
      const pod = nameOf.get(each.pod) ?? (each.pod === SOME_POD ? '' : undefined);
      return pod === undefined ? [] : [{ ...each, pod }];
    }),
  );
  return { scenario: { ...given, pods: podsOf(given, families, replicas) }, saw, others };
}

const podOf = (each: Seen): string[] =>
  'pod' in each && each.pod !== '' && each.pod !== SOME_POD ? [each.pod] : [];

const bare = (pod: string): string => pod.slice(pod.indexOf('/') + 1);
const namespaceOf = (pod: string): string | undefined =>
  pod.includes('/') ? pod.slice(0, pod.indexOf('/')) : undefined;
const isCalled = (name: string, given: string): boolean => name === given || bare(name) === given;

interface Replica {
  readonly family: PodFamily;
  readonly seen: readonly string[];
  readonly name: string;
}

/** Observed pods of each family; for a unique pod, the one with its name, otherwise a similar one. */
function replicasOf(
  families: readonly PodFamily[],
  names: readonly string[],
  all: readonly Seen[],
): Replica[] {
  const owner = (name: string) =>
    families.find((each) => each.names.includes(bare(name)) && isIn(name, each)) ??
    families.find((each) => each.owns(bare(name)) && isIn(name, each));
  return families.flatMap((family) => {
    const own = groupBy(
      names.filter((name) => owner(name) === family),
      bare,
    );
    const found = [...own].map(([name, seen]) => ({ family, name, seen: ofOneNamespace(seen, family) }));
    const exact = found.filter(({ name }) => family.names.includes(name));
    if (family.make === undefined)
      return (exact.length > 0 ? exact : found)
        .slice(0, 1)
        .map((each) => ({ ...each, name: family.names[0] ?? '' }));
    return found
      .map((each) => ({ ...each, troubles: troublesOf(each.seen, all) }))
      .sort((a, b) => b.troubles - a.troubles)
      .slice(0, MOST_REPLICAS);
  });
}

/** A name that matches no family belongs to the only pod if it is the only name, or if the user chose it. */
function lonely(families: readonly PodFamily[], names: readonly string[], isChosen: boolean): Replica[] {
  const [family, ...more] = families;
  const [only, ...others] = [...new Set(names.map(bare))];
  if (family === undefined || more.length > 0 || only === undefined || others.length > 0) return [];
  const own = family.names[0] ?? '';
  const isLike = only.startsWith(`${own}-`) || own.startsWith(`${only}-`);
  if (!isChosen && !isLike) return [];
  return [{ family, name: family.make === undefined ? own : only, seen: ofOneNamespace(names, family) }];
}

const isIn = (name: string, { namespace }: PodFamily): boolean =>
  namespace === 'default' || (namespaceOf(name) ?? namespace) === namespace;

/** Removes duplicates in other namespaces: one text has the namespace, another does not. */
function ofOneNamespace(names: readonly string[], { namespace }: PodFamily): string[] {
  const told = names.flatMap((name) => namespaceOf(name) ?? []);
  const own = told.includes(namespace) ? namespace : (told[0] ?? namespace);
  return names.filter((name) => (namespaceOf(name) ?? own) === own);
}

/** Number of problems observed of a pod: with many replicas, users ask about those with problems. */
const troublesOf = (names: readonly string[], all: readonly Seen[]): number =>
  all.filter((each) => 'pod' in each && names.includes(each.pod) && isTrouble(each)).length;

const isTrouble = (each: Seen): boolean =>
  each.what === 'end' ||
  (each.what === 'row' && !/^(?:Running|Completed)$/.test(each.status)) ||
  (each.what === 'event' && each.type === 'Warning');

function podsOf(
  { pods }: LoadedScenario,
  families: readonly PodFamily[],
  replicas: readonly Replica[],
): LoadedPod[] {
  return families.flatMap((family): LoadedPod[] => {
    const { make } = family;
    const entries = family.entries.flatMap((index) => pods[index] ?? []);
    const seen = replicas.filter((replica) => replica.family === family).map(({ name }) => name);
    if (make === undefined || seen.length === 0) return entries;
    const unseen = entries.filter((_, index) => !seen.includes(family.names[index] ?? ''));
    // More were requested than observed: the controller's names are used for the others.
    const more = entries.length === 1 ? 0 : Math.max(0, entries.length - seen.length);
    return [...seen.sort(inOrder).map((name) => make(name)), ...unseen.slice(0, more)];
  });
}

const inOrder = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
