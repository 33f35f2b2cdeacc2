import { formatDuration } from '../../../base/input/duration.js';
import { InputError } from '../../../base/input/yaml.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { runtimeProfileNames } from '../../../runtime/profiles/index.js';
import { openTape } from '../../../tape/read.js';
import { parseScenario } from '../../scenario/file/load.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { createPodReader, type TapeContainer, type TapePod } from './pods-of-tape.js';

/** In ms: pods that appear this soon after the tape's start existed before the kubelet. */
const AT_START = 2000;
/** Minimum length of a scenario from a tape, in ms. */
const SHORTEST = 60_000;
/** In ms: a container without a restart for this long counts as not restarted; longer than the first back-offs. */
const NOT_RESTARTED = 30_000;

/**
 * Builds a scenario with the pods of a tape: behavior of containers, creation and deletion of pods. Leaves out the
 * faults on the tape. Throws InputError for an unreadable file, and for a tape without pods.
 */
export async function scenarioOfTape(file: string): Promise<LoadedScenario> {
  const { header, entries } = await openTape(file);
  const reader = createPodReader(BigInt(header.startedAt));
  let end = 0;
  let hasEvents = false;
  for await (const { entry } of entries) {
    reader.read(entry);
    end = entry.t / 1e6;
    hasEvents ||= entry.kind === 'call' && entry.method === 'GetContainerEvents';
  }
  const pods = reader.pods();
  if (pods.length === 0)
    throw new InputError([
      `${file}: this tape has no pod: it has no successful CreateContainer with its sandbox; start recording before the pod starts`,
    ]);
  const written = pods.map((pod) => ({ at: wholeMillis(pod.at), pod: podOf(pod, end) }));
  const version = kubeletVersions.find((each) => each === header.kubelet);
  const runtime = runtimeProfileNames.find((each) => each === header.profile);
  const scenario = {
    version: 1,
    kubelet: { ...(version && { version }), ...(hasEvents && { featureGates: { EventedPLEG: true } }) },
    ...(runtime && { runtime }),
    pods: written.filter(({ at }) => at <= AT_START).map(({ pod }) => pod),
    timeline: [
      ...written
        .filter(({ at }) => at > AT_START)
        .map(({ at, pod }) => ({ at: formatDuration(at), do: { addPod: pod } })),
      ...pods.flatMap((pod) => {
        const at = deletionOf(pod);
        return at === undefined ? [] : [{ at: formatDuration(wholeMillis(at)), do: { removePod: pod.name } }];
      }),
    ],
    until: formatDuration(Math.max(SHORTEST, Math.ceil(end / 1000) * 1000)),
  };
  return parseScenario(JSON.stringify(scenario), file);
}

const wholeMillis = (milliseconds: number): number => Math.max(0, Math.round(milliseconds));

/** A pod counts as deleted when the kubelet stopped a container and no other instance followed. */
function deletionOf({ containers }: TapePod): number | undefined {
  const stops = containers.map(({ instances }) => instances.at(-1)?.stoppedAt);
  const found = stops.filter((stop) => stop !== undefined);
  return found.length === 0 ? undefined : Math.min(...found);
}

function podOf(pod: TapePod, end: number): object {
  const { name, namespace, labels, hostNetwork, containers } = pod;
  const initCount = containers.findIndex((each, index) => !isBefore(each, containers[index + 1]));
  const container = ({ name: its, config }: TapeContainer) => ({
    name: its,
    image: config.image?.userSpecifiedImage || config.image?.image || 'unknown',
    ...(config.command.length > 0 && { command: config.command }),
    ...(config.args.length > 0 && { args: config.args }),
  });
  const main = containers.slice(initCount);
  return {
    manifest: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, ...(Object.keys(labels).length > 0 && { labels }) },
      spec: {
        restartPolicy: restartPolicyOf(main, end),
        ...(hostNetwork && { hostNetwork }),
        ...(initCount > 0 && { initContainers: containers.slice(0, initCount).map(container) }),
        containers: main.map(container),
      },
    },
    behaviors: Object.fromEntries(containers.map((each) => [each.name, behaviorOf(each)])),
  };
}

function isBefore({ instances }: TapeContainer, next: TapeContainer | undefined): boolean {
  const end = instances.at(-1)?.end;
  const created = next?.instances[0]?.createdAt;
  return end?.exitCode === 0 && created !== undefined && end.at <= created;
}

/** Runtimes take some milliseconds to notice an exit. */
const roundly = (milliseconds: number): number =>
  milliseconds > 1000 ? Math.round(milliseconds / 100) * 100 : Math.round(milliseconds);

/** What each instance did by itself; the last part applies to all later ones. */
function behaviorOf({ instances }: TapeContainer): string {
  const parts = instances.map(({ end, stoppedAt }) => {
    if (end === undefined || (stoppedAt !== undefined && end.at >= stoppedAt)) return 'run';
    const after = `after=${formatDuration(roundly(end.after))}`;
    return end.isOutOfMemory ? `oom,${after}` : `exit=${end.exitCode},${after}`;
  });
  const last = parts.at(-1);
  while (parts.length > 1 && parts.at(-2) === last) parts.pop();
  return parts.join(';');
}

function restartPolicyOf(
  containers: readonly TapeContainer[],
  end: number,
): 'Always' | 'OnFailure' | 'Never' {
  const ends = containers.flatMap(({ instances }) =>
    instances.flatMap((instance, index) =>
      instance.end === undefined || instance.stoppedAt !== undefined
        ? []
        : [{ ...instance.end, isRestarted: index < instances.length - 1, isFirst: index === 0 }],
    ),
  );
  const left = ends.filter(
    ({ isRestarted, isFirst, exitCode, at }) =>
      // Back-offs of repeated failures grow.
      !isRestarted && (isFirst || exitCode === 0) && end - at > NOT_RESTARTED,
  );
  if (left.length === 0 || ends.some(({ isRestarted, exitCode }) => isRestarted && exitCode === 0))
    return 'Always';
  return left.some(({ exitCode }) => exitCode !== 0) ? 'Never' : 'OnFailure';
}
