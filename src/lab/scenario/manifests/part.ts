import { BEHAVIOR_ANNOTATION } from '../../../../adapters/memory/containers/choose-behavior.js';
import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import type { DataKind } from '../../../kubelet/kubernetes/data-objects.js';
import { findWithoutEffect } from '../../../kubelet/kubernetes/fields-without-effect.js';
import type { PodApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import type { Service } from '../../../kubelet/kubernetes/services.js';
import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';
import { podText } from '../../../tape/pod-text.js';
import type { Assumption } from '../file/assumptions.js';
import type { LoadChoices } from '../file/loaded-scenario.js';
import { guessContainers, type PlacedGuess } from './guess/containers.js';
import { onItsNode } from './guess/node.js';
import { listed } from './listed.js';
import type { Workload } from './objects.js';
import { type MadePod, named, podsOf } from './templates.js';

export interface Part {
  readonly pods: readonly {
    readonly manifest: MadePod;
    readonly behaviors?: Readonly<Record<string, string>>;
  }[];
  readonly faults: readonly FaultInput[];
  readonly presentImages: readonly string[];
  readonly timeline: readonly object[];
  readonly guesses: readonly Assumption[];
  readonly notes: readonly string[];
  readonly inVain: readonly string[];
  /** Longest time before a container ends, in ms. */
  readonly longest: number;
}

export interface PartChoices extends LoadChoices {
  readonly replicas?: number | undefined;
  /** Whether the files have a ConfigMap or Secret. Default: they have all. */
  readonly hasData?: (kind: DataKind, namespace: string, name: string) => boolean;
  /** Services that select pods. Default: none. */
  readonly services?: readonly Service[];
}

export function partOf(object: Workload, { replicas, ownKubelet, ...choices }: PartChoices): Part {
  const { pods, leftOut } = podsOf(object, replicas);
  const [first] = pods;
  const name = `${object.kind} ${named(object).name}`;
  const all = pods.map((pod) => simulatedPod(pod, object, choices));
  const notes = [
    ...(leftOut === '' ? [] : [`${name}: ${leftOut}`]),
    ...(first === undefined ? [`${name}: no pods (replicas: 0); use --replicas to create some`] : []),
    ...unknownFieldNotes(name, object.unknown, ownKubelet),
    ...statusNotes(name, object.status),
    ...(object.metadata.deletionTimestamp === undefined
      ? []
      : [`${name}: it was being deleted; here it is deleted after ${formatDuration(DELETED_AT)}`]),
  ];
  return {
    pods: all.map(({ pod }) => pod),
    faults: all.flatMap(({ faults }) => faults),
    presentImages: all.flatMap(({ presentImages }) => presentImages),
    timeline:
      object.metadata.deletionTimestamp === undefined || first === undefined
        ? []
        : [{ at: formatDuration(DELETED_AT), do: { removePod: podText(withNamespace(first.metadata)) } }],
    // Pods of one template behave alike.
    guesses: all[0]?.guesses ?? [],
    notes,
    inVain: first === undefined ? [] : findWithoutEffect(first, false),
    longest: Math.max(0, ...all.map(({ longest }) => longest)),
  };
}

/** Notes about fields of a pod that the thin kubelet does not know; a kubelet program may. */
export function unknownFieldNotes(name: string, fields: readonly string[], ownKubelet = false): string[] {
  if (fields.length === 0) return [];
  const fate = ownKubelet ? 'go to the kubelet as they are' : 'are ignored';
  return [`${name}: unknown fields ${fate}: ${listed(fields)}`];
}

/** When to delete a pod that was Terminating in the cluster, in ms. */
const DELETED_AT = 60_000;

function simulatedPod(
  pod: MadePod,
  object: Workload,
  { unknownImages = 'run', hasData = () => true, services = [] }: PartChoices,
) {
  const { metadata } = pod;
  const { read } = object.pod;
  const { namespace } = withNamespace(metadata);
  const guesses = guessContainers({
    name: metadata.name,
    namespace,
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    spec: read,
    status: object.status,
    unknownImages,
    services,
    hasData: (kind, of) => hasData(kind, namespace, of),
  });
  const behaviors = Object.fromEntries(
    guesses.flatMap(({ container, behavior }) => (behavior === undefined ? [] : [[container, behavior]])),
  );
  const node =
    unknownImages === 'run' && !isRefusedByNode(object.status)
      ? onItsNode(pod.spec, read)
      : { spec: pod.spec, presentImages: [], guesses: [] };
  const name = podText(withNamespace(metadata));
  return {
    presentImages: node.presentImages,
    pod: { manifest: { ...pod, spec: node.spec }, ...(Object.keys(behaviors).length > 0 && { behaviors }) },
    faults: guesses.flatMap(({ fault }) => (fault === undefined ? [] : [fault])),
    guesses: [
      ...guesses.map((guess) => assumptionOf(guess, name, object)),
      ...node.guesses.map(({ container, does, at, change }) => ({
        container: `${container === undefined ? name : `${name}/${container}`}:`,
        does,
        from: placeIn(object, at),
        change,
        isAdvice: true as const,
      })),
    ],
    longest: Math.max(0, ...guesses.map(longestOf)),
  };
}

export const withNamespace = ({
  name,
  namespace = 'default',
}: {
  readonly name: string;
  readonly namespace?: string;
}) => ({
  name,
  namespace,
});

const isRefusedByNode = (status: PodApiStatus | undefined): boolean =>
  [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])].some(
    ({ state }) =>
      state.kind === 'waiting' && /^(ErrImageNeverPull|CreateContainerConfigError)$/.test(state.reason),
  );

/** File and line of a pod's field, which a template has at another path. */
function placeIn(object: Workload, at: readonly (string | number)[]): string {
  const [top, ...rest] = at;
  const template = object.kind === 'CronJob' ? ['jobTemplate', 'spec', 'template'] : ['template'];
  return object.place(
    object.kind === 'Pod' || top === 'status' ? at : ['spec', ...template, 'spec', ...rest],
  );
}

function assumptionOf(
  { container, behavior, does, from, at }: PlacedGuess,
  pod: string,
  object: Workload,
): Assumption {
  return {
    container: `${pod}/${container}`,
    does,
    from: `${from}, ${placeIn(object, at)}`,
    change: `${BEHAVIOR_ANNOTATION}${container}: ${JSON.stringify(behavior ?? 'run')}`,
  };
}

/** In ms. */
function longestOf({ behavior = '' }: PlacedGuess): number {
  const times = [...behavior.matchAll(/(?:after|ready-until)=([\d.hms]+)/g)].map(
    ([, time = '']) => parseDuration(time) ?? 0,
  );
  return times.reduce((sum, time) => sum + time, 0);
}

function statusNotes(name: string, status: PodApiStatus | undefined): string[] {
  if (status === undefined) return [];
  const unscheduled = status.conditions.find(
    ({ type, status: value }) => type === 'PodScheduled' && value === 'False',
  );
  return [
    ...(unscheduled === undefined
      ? []
      : [
          `${name}: in the cluster it is not scheduled (${unscheduled.message ?? unscheduled.reason}); here it has one`,
        ]),
    ...(status.reason === undefined
      ? []
      : [`${name}: ${status.reason}${status.message ? `: ${status.message}` : ''}; this is not simulated`]),
  ];
}
