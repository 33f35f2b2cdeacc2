import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { candidatesOf } from '../../../src/lab/explore/catalog/catalog.js';
import type { Schedule } from '../../../src/lab/explore/catalog/perturbation.js';
import { createRunner } from '../../../src/lab/explore/run/runner.js';
import { perturbed } from '../../../src/lab/explore/run/schedule.js';
import { loadSubject, withVersion } from '../../../src/lab/explore/subject/subject.js';
import { loadScenario } from '../../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import { runsOf } from '../../../src/lab/scenario/file/variants.js';
import { incidents, withoutFaults } from '../../explore/incidents.js';
import { type Examined, examined } from './findings.js';

/** A run with a known cause, and the question about it. */
export interface Case {
  readonly name: string;
  readonly kind: 'incident' | 'finding' | 'no fault';
  /** The pod without its fault, version and title, and with another seed. */
  readonly pod: LoadedScenario;
  /** The scenario with its fault. */
  readonly truth: LoadedScenario;
}

/** A case by its name, created on demand. */
export interface CaseMaker {
  readonly name: string;
  readonly kind: Case['kind'];
  readonly make: () => Promise<Case>;
}

const DEFAULT = '1.36';

const names = readdirSync('scenarios')
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'));

/** A kubelet with the incident: the one that explore uses, or its first variant. */
async function versionOf(name: string): Promise<string> {
  const known = incidents.find((each) => each.name === name)?.version;
  const { kubelet, variants } = await loadScenario(`scenarios/${name}.yaml`);
  const versions = variants.flatMap((each) => each.kubelet?.version ?? []);
  return known ?? kubelet.version ?? (versions.includes(DEFAULT) ? DEFAULT : (versions[0] ?? DEFAULT));
}

/** Removes everything that names a cause: title, version and expectations. */
const blinded = (pod: LoadedScenario): LoadedScenario => ({
  ...pod,
  kubelet: { ...pod.kubelet, version: undefined },
  title: '',
  see: '',
  why: '',
  fix: '',
  seed: 'blind',
});

/** An incident unchanged, with the variant of its kubelet. */
async function incidentCase(name: string): Promise<Case> {
  const version = await versionOf(name);
  const scenario = await loadScenario(`scenarios/${name}.yaml`);
  const run = runsOf(scenario, version)[0]?.scenario ?? scenario;
  const pod = await withoutFaults(name, version);
  return {
    name,
    kind: 'incident',
    pod: blinded({ ...pod, kubelet: { ...pod.kubelet, featureGates: run.kubelet.featureGates } }),
    truth: withVersion({ ...run, variants: [] }, version),
  };
}

/** The pod of an incident, without any fault. */
async function plainCase(name: string): Promise<Case> {
  const { pod, truth } = await incidentCase(name);
  const plain = { ...pod, seed: `${truth.seed}`, kubelet: truth.kubelet };
  return { name: `${name}, no fault`, kind: 'no fault', pod, truth: plain };
}

const subjectOf = (pod: string): Promise<LoadedScenario> =>
  pod.startsWith('shape ')
    ? loadSubject([`test/explore/replay/shapes/${pod.slice('shape '.length)}.yaml`])
    : withoutFaults(pod, DEFAULT);

/** The first perturbation of the finding's kind that breaks its rule. */
async function scheduleOf({ pod, rule, kind }: Examined): Promise<Schedule> {
  const runner = createRunner(withVersion(await subjectOf(pod), DEFAULT));
  const { points } = await runner.run([]);
  for (const { perturbation } of candidatesOf(points)) {
    if (perturbation.kind !== kind) continue;
    const { findings } = await runner.run([perturbation]);
    if (findings.some((each) => each.rule === rule)) return [perturbation];
  }
  throw new Error(`${pod}: no ${kind} breaks ${rule}`);
}

async function findingCase(finding: Examined): Promise<Case> {
  const pod = { ...withVersion(await subjectOf(finding.pod), DEFAULT), variants: [] };
  const truth = perturbed(pod, await scheduleOf(finding));
  return { name: findingName(finding), kind: 'finding', pod: blinded(pod), truth };
}

const findingName = ({ pod, rule, kind }: Examined): string => `${rule}, ${kind} (${pod})`;

/** All cases: incidents, examined findings, and the pods of incidents without any fault. */
export const makers: readonly CaseMaker[] = [
  ...names.map((name): CaseMaker => ({ name, kind: 'incident', make: () => incidentCase(name) })),
  ...examined.map(
    (each): CaseMaker => ({ name: findingName(each), kind: 'finding', make: () => findingCase(each) }),
  ),
  ...names.map(
    (name): CaseMaker => ({ name: `${name}, no fault`, kind: 'no fault', make: () => plainCase(name) }),
  ),
];

/** The case with this name. */
export function caseOf(name: string): Promise<Case> {
  const maker = makers.find((each) => each.name === name);
  if (maker === undefined) throw new Error(`no case ${name}`);
  return maker.make();
}
