import { isObject } from '../../base/input/object.js';
import { STANDARD_INPUT } from '../../base/input/open-input.js';
import { LARGEST_FILE, readTextInput } from '../../base/input/text-file.js';
import { InputError, type InputProblem, type OpenYaml, openDocuments } from '../../base/input/yaml.js';
import { parseScenario } from './file/load.js';
import type { LoadChoices, LoadedScenario } from './file/loaded-scenario.js';
import { allEntries, readEntry } from './file/pods.js';
import { readObjects, unknownFields } from './manifests/objects.js';
import { unknownFieldNotes } from './manifests/part.js';
import { scenarioFileText, type WrittenScenario, writtenScenario } from './manifests/written-scenario.js';

/** Maximum bytes of a manifest file: `kubectl get -o yaml` prints much. */
const LARGEST_MANIFESTS = 16 * 1024 * 1024;

export interface InputChoices extends LoadChoices {
  /** Pods per object that creates any number of pods. Default: one. */
  readonly replicas?: number | undefined;
  /** Run time of the pods in ms. Default: four minutes, or until each container has ended three times. */
  readonly until?: number | undefined;
}

export interface LoadedInputs {
  readonly scenarios: readonly LoadedScenario[];
  /** Scenario text made from the manifests; undefined without manifests. */
  readonly made: string | undefined;
}

/**
 * Reads scenarios and manifests; `-` is standard input. All manifests together make one scenario with all pods on one
 * node. Throws InputError with file and line.
 */
export async function loadInputs(
  files: readonly string[],
  choices: InputChoices = {},
): Promise<LoadedInputs> {
  const inputs: Input[] = [];
  for (const file of files) inputs.push(await loadInput(file));
  const manifests = inputs.filter(({ documents }) => areManifests(documents));
  if (manifests.length === 0 && choices.until !== undefined)
    throw new InputError(['--until: no manifests are given; a scenario sets its own duration']);
  if (manifests.length === 0 && choices.replicas !== undefined)
    throw new InputError(['--replicas: no manifests are given; a scenario sets its own number of pods']);
  const made = manifests.length > 0 ? makeScenario(manifests, choices) : undefined;
  const others = inputs.filter((input) => !manifests.includes(input));
  const scenarios = await Promise.all(
    others.map(async ({ text, file }) => withUnknownFields(await parseScenario(text, file, choices))),
  );
  if (made === undefined) return { scenarios, made };
  const { scenario, guesses, notes } = made;
  const loaded = await parseScenario(JSON.stringify(scenario), manifests[0]?.file ?? '', choices);
  return {
    scenarios: [{ ...loaded, isMade: true, assumed: { guesses, notes } }, ...scenarios],
    made: scenarioFileText(made),
  };
}

/** Adds notes about fields of pods that only the user's kubelet may know. */
function withUnknownFields(scenario: LoadedScenario): LoadedScenario {
  if (!scenario.ownKubelet) return scenario;
  const notes = allEntries(scenario).flatMap((entry) =>
    [...readEntry(scenario, entry).objects.values()].flatMap((pod) =>
      unknownFieldNotes(`Pod ${pod.metadata?.name}`, unknownFields(pod), true),
    ),
  );
  return notes.length > 0 ? { ...scenario, assumed: { guesses: [], notes } } : scenario;
}

interface Input {
  readonly file: string;
  readonly text: string;
  readonly documents: readonly OpenYaml[];
  /** Duplicate keys, which kubectl allows. */
  readonly repeated: readonly InputProblem[];
}

async function loadInput(given: string): Promise<Input> {
  const text = await readTextInput(given, '', LARGEST_MANIFESTS);
  const file = given === STANDARD_INPUT ? 'standard input' : given;
  const repeated: InputProblem[] = [];
  const documents = openDocuments(text, file, { onRepeated: (problem) => void repeated.push(problem) });
  if (documents.length === 0 && text.trim() === '')
    throw new InputError([`${file}: it is empty; expected a scenario, or manifests`]);
  const mistake = mistakeIn(text, documents);
  if (mistake !== undefined) throw new InputError([`${file}: ${mistake}`]);
  if (text.length > LARGEST_FILE && !areManifests(documents))
    throw new InputError([`${file}: a scenario has at most ${LARGEST_FILE} bytes`]);
  return { file, text, documents, repeated };
}

/** Names input that is neither a scenario nor a manifest; undefined if it is unknown. */
function mistakeIn(text: string, documents: readonly OpenYaml[]): string | undefined {
  if (/^(NAMESPACE +)?NAME +READY +STATUS +RESTARTS/m.test(text))
    return 'this is a table of "kubectl get pod", which "mockri reproduce POD --saw FILE" reads; "kubectl get pod NAME -o yaml" prints what this command reads';
  const isHeadless = documents.some(
    ({ written }) => isObject(written) && 'spec' in written && !('kind' in written || 'version' in written),
  );
  return isHeadless
    ? 'this looks like a manifest without "kind"; add apiVersion and kind, as in "apiVersion: v1" and "kind: Pod"'
    : undefined;
}

function makeScenario(inputs: readonly Input[], choices: InputChoices): WrittenScenario {
  const objects = inputs.map(({ documents }) => readObjects(documents, choices));
  const made = writtenScenario(
    {
      workloads: objects.flatMap(({ workloads }) => workloads),
      data: objects.flatMap(({ data }) => data),
      services: objects.flatMap(({ services }) => services),
      others: objects.flatMap(({ others }) => others),
    },
    inputs.map(({ file }) => file).join(', '),
    choices,
  );
  const repeated = inputs.flatMap((input) => input.repeated);
  const said = new Set(objects.flatMap(({ notes }) => notes));
  return { ...made, notes: [...repeated.map(repeatedNote), ...said, ...made.notes] };
}

const repeatedNote = ({ source, line, message }: InputProblem): string =>
  `${source}:${line}: ${message}; kubectl uses the last one, and so does this run`;

const areManifests = (documents: readonly OpenYaml[]): boolean =>
  documents.some(({ written }) => isObject(written) && ('kind' in written || 'apiVersion' in written));
