import { dirname, resolve } from 'node:path';
import { readTextFile } from '../../../base/input/text-file.js';
import { InputError, readYaml } from '../../../base/input/yaml.js';
import { fieldsFor } from '../../../kubelet/kubernetes/fields.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import { pairRules } from '../../../runtime/faults/language/rule-list.js';
import { podText } from '../../../tape/pod-text.js';
import { checkScenario } from './check.js';
import type { Expected } from './expect-schema.js';
import type { LoadChoices, LoadedPod, LoadedScenario } from './loaded-scenario.js';
import { allPods, findPod } from './pods.js';
import { type ScenarioPod, scenarioSchema } from './schema.js';

/** Reads a scenario and its manifests. Throws InputError with file and line. */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  return parseScenario(readTextFile(file), file);
}

/** Like `loadScenario`, for text; manifest paths are relative to `file`. */
export async function parseScenario(
  text: string,
  file: string,
  { ownKubelet, unknownImages }: LoadChoices = {},
): Promise<LoadedScenario> {
  const { value, written, problem } = readYaml(text, scenarioSchema(fieldsFor({ ownKubelet })), file);
  const timeline = value.timeline.map(({ at, do: action }, index) => {
    const { addFault, addPod } = written.timeline?.[index]?.do ?? {};
    return {
      at,
      do: {
        ...action,
        addFault:
          addFault === undefined || action.addFault === undefined
            ? undefined
            : pairRules([addFault], [action.addFault]),
        addPod: action.addPod && asWritten(action.addPod, addPod),
      },
    };
  });
  const pods = value.pods.map((pod, index) => asWritten(pod, written.pods?.[index]));
  const added = timeline.flatMap(({ do: { addPod } }) => addPod ?? []);
  const manifests = new Map<string, string>();
  for (const { file: path } of [...pods, ...added]) {
    if (path === undefined || manifests.has(path)) continue;
    manifests.set(path, readTextFile(resolve(dirname(file), path)));
  }
  const faults = pairRules(written.faults ?? [], value.faults);
  const scenario = { ...value, faults, pods, timeline, file, manifests, ownKubelet, unknownImages };
  const problems = checkScenario(scenario, problem);
  if (problems.length > 0) throw new InputError(problems);
  const all = allPods(scenario);
  const variants = value.variants.map((each) => ({ ...each, expect: withWholeNames(each.expect, all) }));
  return { ...scenario, expect: withWholeNames(value.expect, all), variants };
}

/** Expands pod names as runs show them: without namespace only in `default`. */
function withWholeNames(expect: Expected, pods: readonly Pod[]): Expected {
  const whole = <E extends { readonly pod?: string | undefined }>(each: E): E => {
    const found = each.pod === undefined ? undefined : findPod(pods, each.pod);
    return found === undefined ? each : { ...each, pod: podText(found.metadata) };
  };
  const { rows, rowsInclude, lastRow, events, running, gone } = expect;
  return {
    ...expect,
    rows: rows.map(whole),
    rowsInclude: rowsInclude.map(whole),
    lastRow: lastRow.map(whole),
    events: events.map(whole),
    running: running.map(whole),
    gone: gone.map(whole),
  };
}

const asWritten = (pod: ScenarioPod, written: { readonly manifest?: unknown } | undefined): LoadedPod => ({
  ...pod,
  manifest: written?.manifest,
});
