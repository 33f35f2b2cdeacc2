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

export interface WrittenScenario extends Assumptions {
  readonly scenario: object;
}

const MOST_PODS = 250;

/** Minimum and maximum run time of pods in ms: enough for three ends of a container. */
const LEAST = 4 * 60_000;
const MOST = 24 * 3_600_000;

/** Builds a scenario from objects: pods, and the guessed behavior of their containers. Throws InputError. */
export function writtenScenario(
  { workloads, data, services, others: kinds }: Omit<ReadObjects, 'notes'>,
  title: string,
  { until, ...choices }: PartChoices & { readonly until?: number | undefined },
): WrittenScenario {
  const taken = simulatedObjects(workloads);
  const chosen = taken.filter((object) => !isForWindows(object));
  const forWindows = taken.filter(isForWindows).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  if (chosen.length === 0 && forWindows.length > 0)
    throw new InputError([`all pods need Windows nodes, which are not simulated: ${listed(forWindows)}`]);
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
    ...(forWindows.length > 0 ? [`ignored, because they need Windows nodes: ${listed(forWindows)}`] : []),
    ...(others.length > 0 ? [`ignored, because they create no pods: ${listed(others)}`] : []),
  ];
  return { scenario, guesses, notes };
}

const isForWindows = ({ pod: { read } }: Workload): boolean =>
  (read.os?.name ?? read.nodeSelector?.['kubernetes.io/os']) === 'windows';

/** Longest initial delay of a pod's probes, in ms. */
const probesWait = ({ pod: { read } }: Workload): number =>
  1000 *
  Math.max(
    0,
    ...[...read.initContainers, ...read.containers]
      .flatMap(({ startupProbe, readinessProbe }) => [startupProbe, readinessProbe])
      .map((probe) => probe?.initialDelaySeconds ?? 0),
  );

/** Services that select pods of the simulation, and the names of the others, which are ignored. */
function leadingServices(services: readonly Service[], objects: readonly Workload[], replicas?: number) {
  const pods = objects.flatMap((object) => podsOf(object, replicas).pods);
  const leads = (service: Service) => pods.some(({ metadata }) => selects(service, metadata));
  return {
    leading: services.filter(leads),
    others: services.filter((each) => !leads(each)).map(({ metadata }) => `Service ${metadata.name}`),
  };
}

/** The last of two with one name counts, as with kubectl apply. */
const findData = (data: readonly DataObject[], kind: DataKind, namespace: string, name: string) =>
  data.findLast(
    (each) =>
      dataKindOf(each) === kind && each.metadata.name === name && each.metadata.namespace === namespace,
  );

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

export function scenarioFileText({ scenario, ...assumed }: WrittenScenario): string {
  const comments = assumptionLines(assumed).map((line) => `# ${line.replace(/; to change it, .*$/, '')}\n`);
  const text = writeYaml(scenario);
  return `${comments.join('')}${text}`;
}

function commonNotes(parts: readonly Part[]): string[] {
  const inVain = [...new Set(parts.flatMap((part) => part.inVain))];
  return [...(inVain.length > 0 ? [`no effect here: ${listed(inVain)}`] : [])];
}

function checkPods(pods: Part['pods'], objects: readonly Workload[], others: readonly string[]): void {
  if (objects.length === 0)
    throw new InputError([
      `no object is a pod or creates pods${others.length > 0 ? `: ${listed(others)}` : ''}; expected Pod, Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob or a List of them`,
    ]);
  if (pods.length === 0)
    throw new InputError(['no pods: all objects have 0 replicas; use --replicas to create some']);
  if (pods.length > MOST_PODS)
    throw new InputError([
      `${pods.length} pods; at most ${MOST_PODS} are simulated together. Select some: kubectl get -l, -n, --field-selector spec.nodeName=…`,
    ]);
  const seen = new Set<string>();
  for (const { manifest } of pods) {
    const name = podText(withNamespace(manifest.metadata));
    if (seen.has(name)) throw new InputError([`two pods are named ${name}`]);
    seen.add(name);
  }
}

/**
 * The objects to simulate. `kubectl get all` prints a Deployment, its ReplicaSets and their pods: then only these pods
 * are used, with their statuses, so that their owners do not create them again.
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
