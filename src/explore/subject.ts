import { basename } from 'node:path';
import { readTextFile } from '../input/text-file.js';
import { loadYaml } from '../input/yaml-document.js';
import { loadScenario, parseScenario } from '../scenario/load.js';
import type { LoadedScenario } from '../scenario/loaded-scenario.js';

/** How long a pod from a manifest runs in each schedule. */
const LENGTH = '4m';

/**
 * The scenario that a file is, or that runs the pods of a manifest. Its variants are left out. Throws InputError with
 * file and line of what is wrong.
 */
export async function loadSubject(file: string): Promise<LoadedScenario> {
  if (!isManifest(file)) return { ...(await loadScenario(file)), variants: [] };
  const text = JSON.stringify({ version: 1, pods: [{ file: basename(file) }], until: LENGTH });
  return parseScenario(text, file);
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
