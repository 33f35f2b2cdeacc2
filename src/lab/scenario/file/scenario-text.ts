import { relative, resolve } from 'node:path';
import { formatDuration } from '../../../base/input/duration.js';
import { writeYaml } from '../../../base/input/yaml-document.js';
import type { Latency } from '../../../runtime/profiles/latency/latency.js';
import type { Expected } from './expect-schema.js';
import type { LoadedAction, LoadedPod, LoadedScenario } from './loaded-scenario.js';

/** What a scenario file says in addition to the scenario. */
export interface Story {
  readonly title: string;
  readonly see: string;
  readonly why: string;
  readonly expect: Partial<Expected>;
}

/** Text of a scenario file; manifest paths are relative to `directory`. */
export function scenarioText(scenario: LoadedScenario, story: Story, directory: string): string {
  const {
    seed,
    node,
    kubelet,
    runtime,
    latency,
    presentImages,
    rootImages,
    faults,
    objects,
    pods,
    timeline,
    until,
    file,
  } = scenario;
  const podOf = (pod: LoadedPod) => writtenPod(pod, resolve(file, '..'), directory);
  const written = {
    version: 1,
    title: story.title,
    see: story.see,
    why: story.why,
    ...(seed !== 1 && { seed }),
    ...(node !== 'mock-node' && { node }),
    kubelet: filled(kubelet),
    ...(runtime !== 'strict' && { runtime }),
    ...(latency !== 'profile' && { latency: typeof latency === 'string' ? latency : durations(latency) }),
    presentImages,
    rootImages,
    objects,
    pods: pods.map(podOf),
    faults: faults.map(({ written }) => written),
    timeline: timeline.flatMap(({ at, do: action }) =>
      writtenActions(action, podOf).map((written) => ({ at: formatDuration(at), do: written })),
    ),
    until: formatDuration(until),
    expect: writtenExpect(story.expect),
  };
  return writeYaml(filled(written));
}

function writtenPod(
  { file, manifest, behaviors, static: isStatic }: LoadedPod,
  from: string,
  to: string,
): object {
  return filled({
    file: file === undefined ? undefined : relative(to, resolve(from, file)),
    manifest,
    static: isStatic || undefined,
    behaviors,
  });
}

/** The rules of a shorthand become one step each. */
function writtenActions(action: LoadedAction, podOf: (pod: LoadedPod) => object): object[] {
  const { addPod, addFault, restartRuntime, ...rest } = action;
  if (addFault !== undefined) return addFault.map(({ written }) => ({ addFault: written }));
  const step = filled({
    ...rest,
    addPod: addPod && podOf(addPod),
    restartRuntime: restartRuntime && { ...restartRuntime, downFor: formatDuration(restartRuntime.downFor) },
  });
  return [step];
}

const TIMES = new Set(['within', 'from', 'at']);

function writtenExpect(value: unknown, field = ''): unknown {
  if (typeof value === 'number') return TIMES.has(field) ? formatDuration(value) : value;
  if (Array.isArray(value)) return value.map((each) => writtenExpect(each, field));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, writtenExpect(each, name)]);
  return filled(Object.fromEntries(entries));
}

function filled(value: object): object {
  const isEmpty = (each: unknown) =>
    each === undefined ||
    each === '' ||
    (typeof each === 'object' && each !== null && Object.keys(each).length === 0);
  return Object.fromEntries(Object.entries(value).filter(([, each]) => !isEmpty(each)));
}

const durations = (given: Latency): object =>
  Object.fromEntries(Object.entries(given).map(([name, times]) => [name, times?.map(formatDuration)]));
