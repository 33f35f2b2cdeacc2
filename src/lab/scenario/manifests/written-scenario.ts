import { formatDuration } from '../../../base/input/duration.js';
import { InputError } from '../../../base/input/yaml.js';
import { writeYaml } from '../../../base/input/yaml-document.js';
import {
  type DataKind,
  type DataObject,
  dataKindOf,
  dataReferences,
} from '../../../kubelet/kubernetes/data-objects.js';
import { type Service, selects } from '../../../kubelet/kubernetes/services.js';
import { podText } from '../../../tape/pod-text.js';
import { type Assumptions, assumptionLines } from '../file/assumptions.js';
import { listed } from './listed.js';
import type { ReadObjects, Workload } from './objects.js';
import { type Part, type PartChoices, partOf, withNamespace } from './part.js';
import { podsOf } from './templates.js';

/** A scenario as a file says it, and what it takes the manifests to mean. */
export interface WrittenScenario extends Assumptions {
  readonly scenario: object;
}

/** Pods of one simulation. */
const MOST_PODS = 250;

/** How long pods run, at least and at most, in ms: long enough for three ends of a container. */
const LEAST = 4 * 60_000;
const MOST = 24 * 3_600_000;

/** Makes a scenario of objects: their pods, and what their containers are guessed to do. Throws InputError. */
export function writtenScenario(
  { workloads, data, services, others: kinds }: Omit<ReadObjects, 'notes'>,
  title: string,
  { until, ...choices }: PartChoices & { readonly until?: number | undefined },
): WrittenScenario {
  const taken = simulatedObjects(workloads);
  const chosen = taken.filter((object) => !isForWindows(object));
  const forWindows = taken.filter(isForWindows).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  if (chosen.length === 0 && forWindows.length > 0)
    throw new InputError([
      `all pods are for nodes with Windows, which are not simulated: ${listed(forWindows)}`,
    ]);
  const { leading, others: without } = leadingServices(services, chosen, choices.replicas);
  const others = [...kinds, ...without];
  const hasData = (...key: Parameters<NonNullable<PartChoices['hasData']>>) =>
    findData(data, ...key) !== undefined;
  const parts = chosen.map((object) => partOf(object, { ...choices, services: leading, hasData }));
  const pods = parts.flatMap((part) => part.pods);
  checkPods(pods, workloads, others);
  const guesses = parts.flatMap((part) => part.guesses);
  const longest = Math.max(0, ...parts.map((part) => part.longest));
  const enough = Math.min(MOST, LEAST + Math.max(3 * longest, ...chosen.map(probesWait)));
  const { used, missing } = dataOf(chosen, data);
  const scenario = {
    version: 1,
    title,
    ...filled('objects', [...used, ...leading]),
    pods,
    ...filled('presentImages', [...new Set(parts.flatMap((part) => part.presentImages))]),
    ...filled(
      'faults',
      parts.flatMap((part) => part.faults),
    ),
    ...filled(
      'timeline',
      parts.flatMap((part) => part.timeline),
    ),
    until: formatDuration(until ?? enough),
  };
  const notes = [
    ...parts.flatMap((part) => part.notes),
    ...commonNotes(parts),
    ...(missing.length > 0 ? [`not in the files, so their keys have placeholders: ${listed(missing)}`] : []),
    ...(forWindows.length > 0 ? [`left out, as they are for nodes with Windows: ${listed(forWindows)}`] : []),
    ...(others.length > 0 ? [`left out, as they make no pods: ${listed(others)}`] : []),
  ];
  return { scenario, guesses, notes };
}

const isForWindows = ({ pod: { read } }: Workload): boolean =>
  (read.os?.name ?? read.nodeSelector?.['kubernetes.io/os']) === 'windows';

/** How long the probes of a pod wait at first, in ms. */
const probesWait = ({ pod: { read } }: Workload): number =>
  1000 *
  Math.max(
    0,
    ...[...read.initContainers, ...read.containers]
      .flatMap(({ startupProbe, readinessProbe }) => [startupProbe, readinessProbe])
      .map((probe) => probe?.initialDelaySeconds ?? 0),
  );

/** The Services that lead to pods of the simulation, and the names of those that lead to none, as if they were not there. */
function leadingServices(services: readonly Service[], objects: readonly Workload[], replicas?: number) {
  const pods = objects.flatMap((object) => podsOf(object, replicas).pods);
  const leads = (service: Service) => pods.some(({ metadata }) => selects(service, metadata));
  return {
    leading: services.filter(leads),
    others: services.filter((each) => !leads(each)).map(({ metadata }) => `Service ${metadata.name}`),
  };
}

/** Of two with one name, the last counts, as kubectl applies them. */
const findData = (data: readonly DataObject[], kind: DataKind, namespace: string, name: string) =>
  data.findLast(
    (each) =>
      dataKindOf(each) === kind && each.metadata.name === name && each.metadata.namespace === namespace,
  );

/** The objects that pods refer to, and the names of those that are not there and that they can't do without. */
function dataOf(objects: readonly Workload[], data: readonly DataObject[]) {
  const used = new Set<DataObject>();
  const missing = new Set<string>();
  for (const { metadata, pod } of objects)
    for (const { kind, name, isOptional } of dataReferences(pod.read)) {
      const { namespace = 'default' } = metadata;
      const found = findData(data, kind, namespace, name);
      if (found !== undefined) used.add(found);
      // Every namespace has this one (root-ca-cert-publisher).
      else if (!isOptional && name !== 'kube-root-ca.crt')
        missing.add(`${kind === 'secret' ? 'Secret' : 'ConfigMap'} ${name}`);
    }
  return { used: [...used], missing: [...missing] };
}

const filled = (name: string, list: readonly (object | string)[]) =>
  list.length > 0 ? { [name]: list } : {};

/** The text of a scenario that runs as the manifests do, with its guesses as comments. */
export function scenarioFileText({ scenario, ...assumed }: WrittenScenario): string {
  const comments = assumptionLines(assumed).map((line) => `# ${line.replace(/; to change it, .*$/, '')}\n`);
  const text = writeYaml(scenario);
  return `${comments.join('')}${text}`;
}

/** What holds for several objects, in one line each. */
function commonNotes(parts: readonly Part[]): string[] {
  const inVain = [...new Set(parts.flatMap((part) => part.inVain))];
  return [...(inVain.length > 0 ? [`no effect here: ${listed(inVain)}`] : [])];
}

function checkPods(pods: Part['pods'], objects: readonly Workload[], others: readonly string[]): void {
  if (objects.length === 0)
    throw new InputError([
      `nothing here is a pod or makes pods${others.length > 0 ? `: ${listed(others)}` : ''}; expected Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob or a List of them`,
    ]);
  if (pods.length === 0)
    throw new InputError(['no pods: all objects have 0 replicas; --replicas makes some']);
  if (pods.length > MOST_PODS)
    throw new InputError([
      `${pods.length} pods; at most ${MOST_PODS} are simulated together. Select some: kubectl get -l, -n, --field-selector spec.nodeName=…`,
    ]);
  const seen = new Set<string>();
  for (const { manifest } of pods) {
    const name = podText(withNamespace(manifest.metadata));
    if (seen.has(name)) throw new InputError([`two pods are called ${name}`]);
    seen.add(name);
  }
}

/**
 * The objects whose pods are simulated. `kubectl get all` prints a Deployment, its ReplicaSets and their pods: then these
 * pods are taken, with what their statuses say, and not again those that their owners would make.
 */
function simulatedObjects(objects: readonly Workload[]): Workload[] {
  const owners = new Map(
    objects.flatMap((each) => (each.metadata.uid ? [[each.metadata.uid, each] as const] : [])),
  );
  const ownersOf = (object: Workload): Workload[] =>
    (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => owners.get(uid) ?? []);
  const havePods = new Set<Workload>();
  const mark = (object: Workload): void => {
    for (const owner of ownersOf(object)) {
      if (havePods.has(owner)) continue;
      havePods.add(owner);
      mark(owner);
    }
  };
  for (const object of objects) if (object.kind === 'Pod') mark(object);
  return objects.filter(
    (object) => object.kind === 'Pod' || (!havePods.has(object) && ownersOf(object).length === 0),
  );
}
