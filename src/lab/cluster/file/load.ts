import { readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { readTextFile } from '../../../base/input/text-file.js';
import { InputError, type InputProblem, openDocuments, readYaml } from '../../../base/input/yaml.js';
import type { Json } from '../../../kubelet/api-server/json.js';
import {
  type ClusterFault,
  type ClusterScenario,
  clusterScenarioSchema,
  controlPlane,
  nodeNames,
} from './schema.js';

export interface LoadedCluster {
  readonly scenario: ClusterScenario;
  readonly file: string;
  /** Objects of each file or directory that the scenario names. */
  readonly objects: ReadonlyMap<string, readonly Json[]>;
}

/** Reads a scenario and its manifests; `more` has faults in addition to its own. Throws InputError with file, line and field. */
export function loadCluster(file: string, more: readonly ClusterFault[] = []): LoadedCluster {
  const { value, problem } = readYaml(readTextFile(file), clusterScenarioSchema, file);
  const scenario = { ...value, faults: [...value.faults, ...more] };
  const { cluster, timeline, faults } = scenario;
  const problems: InputProblem[] = [];
  const own = cluster.programs.map(({ name }) => name);
  const nodes = nodeNames(cluster);
  for (const [index, name] of own.entries())
    if (own.indexOf(name) !== index || [...controlPlane, ...nodes].includes(name))
      problems.push(
        problem(['cluster', 'programs', index, 'name'], `two programs have the name ${JSON.stringify(name)}`),
      );
  const scheduler = nodes.length > 0 ? ['kube-scheduler'] : [];
  const callers = ['kube-controller-manager', ...scheduler, ...own, ...nodes];
  const check = (path: readonly PropertyKey[], name: string | undefined, known: readonly string[]) => {
    if (name !== undefined && !known.includes(name))
      problems.push(
        problem(path, `no program has the name ${JSON.stringify(name)}; there are ${known.join(', ')}`),
      );
  };
  // A node's kubelet runs in this process.
  const processes = callers.filter((name) => !nodes.includes(name));
  const targets = { kill: callers, start: callers, pause: processes, resume: processes };
  for (const [index, { match, then }] of faults.entries())
    check(
      ['faults', index, 'match', 'program'],
      match.program,
      then.pause === undefined ? callers : processes,
    );
  for (const [index, step] of timeline.entries())
    for (const [action, known] of Object.entries(targets))
      check(['timeline', index, action], step[action as keyof typeof targets], known);
  for (const [index, { at }] of timeline.entries())
    if (at > scenario.until) problems.push(problem(['timeline', index, 'at'], 'is after "until"'));
  if (problems.length > 0) throw new InputError(problems);
  const named = [
    ...cluster.programs.flatMap(({ manifests }) => manifests),
    ...timeline.flatMap(({ apply }) => apply ?? []),
  ];
  let size = 0;
  const read = (path: string): readonly Json[] => {
    const text = readTextFile(path, '', LARGEST_MANIFEST);
    size += text.length;
    if (size > MOST_MANIFESTS)
      throw new InputError([`${path}: with it the manifests have more than ${MOST_MANIFESTS / 2 ** 20} MiB`]);
    return openDocuments(text, path).map((document) => document.read(objectSchema).value);
  };
  const objects = new Map(
    [...new Set(named)].map((path) => [path, filesOf(resolve(dirname(file), path)).flatMap(read)]),
  );
  return { scenario, file, objects };
}

function filesOf(path: string): readonly string[] {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name) && !/^kustomiz/.test(name));
  if (names.length > MOST_FILES)
    throw new InputError([`${path}: it has ${names.length} manifests; at most ${MOST_FILES} are read`]);
  return names.sort().map((name) => join(path, name));
}

/** Bytes: some CRDs have more than a mebibyte. */
const LARGEST_MANIFEST = 16 * 1024 * 1024;
/** Of all files together. */
const MOST_MANIFESTS = 64 * 1024 * 1024;
/** In a directory. */
const MOST_FILES = 1000;

const objectSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
