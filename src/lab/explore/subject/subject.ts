import { closeSync, readSync } from 'node:fs';
import { openRegular } from '../../../base/input/regular-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { podText } from '../../../tape/pod-text.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import { readPods } from '../../scenario/file/pods.js';
import { type InputChoices, loadInputs } from '../../scenario/load-inputs.js';
import { scenarioOfTape } from './scenario-of-tape.js';

/** Maximum length of a schedule's run with pods of manifests, in ms. */
const LONGEST = 10 * 60_000;

/**
 * A scenario, or one for the pods of manifests or of a tape, without variants. Throws InputError with file and line.
 */
export async function loadSubject(files: readonly string[], choices?: InputChoices): Promise<LoadedScenario> {
  const [file = ''] = files;
  if (files.length === 1 && isTape(file)) return scenarioOfTape(file);
  const { scenarios } = await loadInputs(files, choices);
  const [scenario, ...others] = scenarios;
  if (scenario === undefined || others.length > 0)
    throw new InputError([
      `${files.join(', ')}: expected one scenario, or manifests, not ${scenarios.length} scenarios`,
    ]);
  const until = scenario.isMade ? Math.min(scenario.until, LONGEST) : scenario.until;
  return { ...scenario, until, variants: [] };
}

/** First bytes of a compressed file, and of an uncompressed tape. */
const TAPE_STARTS = [Buffer.from([0x1f, 0x8b]), Buffer.from('{"t":0,"kind":"header"')];

export function isTape(file: string): boolean {
  const start = Buffer.alloc(32);
  try {
    const descriptor = openRegular(file);
    readSync(descriptor, start);
    closeSync(descriptor);
  } catch {
    // The scenario reader reports the error.
    return false;
  }
  return TAPE_STARTS.some((bytes) => start.subarray(0, bytes.length).equals(bytes));
}

export const withVersion = (scenario: LoadedScenario, version: string | undefined): LoadedScenario =>
  version === undefined ? scenario : { ...scenario, kubelet: { ...scenario.kubelet, version } };

/** Replaces pods by static pods for a kubelet without an API server: their names end with the node's. */
export function withStaticPods(scenario: LoadedScenario): LoadedScenario {
  const { node, pods, timeline } = scenario;
  const wasApiPod = new Set(
    pods.flatMap((pod) =>
      pod.static ? [] : readPods(scenario, pod).map(({ metadata }) => podText(metadata)),
    ),
  );
  const named = (name: string) => (wasApiPod.has(name) ? `${name}-${node}` : name);
  return {
    ...scenario,
    pods: pods.map((pod) => ({ ...pod, static: true })),
    timeline: timeline.map(({ at, do: { removePod, exitContainer, addPod, ...action } }) => ({
      at,
      do: {
        ...action,
        ...(removePod !== undefined && { removePod: named(removePod) }),
        ...(exitContainer && { exitContainer: { ...exitContainer, pod: named(exitContainer.pod) } }),
        ...(addPod && { addPod: { ...addPod, static: true } }),
      },
    })),
  };
}
