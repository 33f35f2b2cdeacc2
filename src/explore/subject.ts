import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { readTextFile } from '../input/text-file.js';
import { loadYaml } from '../input/yaml-document.js';
import { loadScenario, parseScenario } from '../scenario/load.js';
import type { LoadedScenario } from '../scenario/loaded-scenario.js';
import { readPods } from '../scenario/pods.js';
import { podText } from '../tape/pod-text.js';
import { scenarioOfTape } from './from-tape/scenario-of-tape.js';

/** How long a pod from a manifest runs in each schedule. */
const LENGTH = '4m';

/**
 * The scenario that a file is, or that runs the pods of a manifest or of a tape. Its variants are left out. Throws
 * InputError with file and line of what is wrong.
 */
export async function loadSubject(file: string): Promise<LoadedScenario> {
  if (isTape(file)) return scenarioOfTape(file);
  if (!isManifest(file)) return { ...(await loadScenario(file)), variants: [] };
  const text = JSON.stringify({ version: 1, pods: [{ file: basename(file) }], until: LENGTH });
  return parseScenario(text, file);
}

/** The first bytes of a compressed file, and of a tape that is not compressed. */
const TAPE_STARTS = [Buffer.from([0x1f, 0x8b]), Buffer.from('{"t":0,"kind":"header"')];

/** Whether a file begins as a tape does. */
function isTape(file: string): boolean {
  const start = Buffer.alloc(32);
  try {
    const descriptor = openSync(file, 'r');
    readSync(descriptor, start);
    closeSync(descriptor);
  } catch {
    // The reader of scenarios says what is wrong with it.
    return false;
  }
  return TAPE_STARTS.some((bytes) => start.subarray(0, bytes.length).equals(bytes));
}

function isManifest(file: string): boolean {
  try {
    return loadYaml()
      .parseAllDocuments(readTextFile(file))
      .some((document) => 'has' in document && document.has('apiVersion'));
  } catch {
    // The reader of scenarios says what is wrong with it.
    return false;
  }
}

/** The scenario with another kubelet. */
export const withVersion = (scenario: LoadedScenario, version: string | undefined): LoadedScenario =>
  version === undefined ? scenario : { ...scenario, kubelet: { ...scenario.kubelet, version } };

/**
 * The scenario with static pods only, as a kubelet without an API server has them: their names end with the node's.
 */
export function withStaticPods(scenario: LoadedScenario): LoadedScenario {
  const { node, pods, timeline } = scenario;
  const wasApiPod = new Set(
    pods.flatMap((pod) =>
      pod.static ? [] : readPods(scenario, pod, 0n).map(({ metadata }) => podText(metadata)),
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
