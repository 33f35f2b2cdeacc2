import { z } from 'zod';
import { wholeNumberSchema } from '../../../base/input/schemas.js';
import { budgetSchema } from '../../options/budget.js';
import { defineOptions, type OptionsOf } from '../../options/define-options.js';
import { kubeletVersionList } from '../../options/kubelet-versions.js';
import { readBy } from '../../options/option.js';
import { outputFileSchema } from '../../output/output-file.js';

/** The part of one process in a search: `2/4`. */
export const shardSchema = readBy((text) => {
  const [, index, of] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return index !== undefined && of !== undefined && index >= 1 && index <= of
    ? { index: index - 1, of }
    : undefined;
}, 'expected a shard such as "1/4"');

const someText = z.string().min(1);

export const options = defineOptions({
  '--budget <budget>': {
    about:
      'how long the search takes ("10m"), or how many schedules it tries ("500"); a time includes shrinking and writing the findings',
    schema: budgetSchema,
    default: { time: 60_000 },
    shown: '60s',
  },
  '--seed <seed>': {
    about: 'seed of the random schedules',
    schema: wholeNumberSchema(0).transform(String),
    default: '1',
  },
  '--depth <number>': {
    about: 'maximum number of perturbations per schedule, 1 to 5',
    schema: wholeNumberSchema(1, 5),
    default: 2,
  },
  '--only <list>': {
    about: 'families, kinds or methods of perturbations, separated by commas: restart,StartContainer',
    schema: readBy((text) => text.split(',').map((word) => word.trim())),
  },
  '--replicas <number>': {
    about: 'number of pods per Deployment, StatefulSet, ReplicaSet and Job in manifests; default: one',
    schema: wholeNumberSchema(0, 250),
  },
  '--known <file>': { about: 'YAML file of accepted findings: they do not fail the command' },
  '--new': { about: 'known behavior of Kubernetes does not fail the command' },
  '--oracle <file>': { about: 'a module whose function checks the tape of a run', schema: someText },
  '--out <directory>': {
    about: 'directory for the findings, findings.json and the state of the search',
    schema: someText,
    default: 'explore-findings',
  },
  '--workers <number>': {
    about: 'worker threads; 0 uses only the main thread (default: one per core)',
    schema: wholeNumberSchema(0, 256),
  },
  '--kubelet-version <versions>': kubeletVersionList(
    '1.36, 1.30,1.36 or 1.28..1.37: several give a table; default: the scenario’s',
  ),
  '--kubelet <program>': {
    about:
      'a real kubelet built for virtual time, or its version: it replaces the simulated one; both: each runs all schedules, and differences are findings',
    schema: someText,
  },
  '--plugin <command>': {
    about:
      'shell command line of a node resource plugin (NRI) to explore in real time; $NRI_SOCKET is the path of its socket',
    schema: someText,
  },
  '--confirm <program>': {
    about:
      'a real kubelet that confirms the findings: in virtual time if it was built for that, else in real time, as root',
    schema: someText,
  },
  '--junit <file>': { about: 'file for a JUnit report', schema: outputFileSchema },
  '--shard <i/n>': {
    about: 'part of the search for this process, such as 2/4',
    schema: shardSchema,
    default: { index: 0, of: 1 },
    shown: '1/1',
  },
  '--resume': {
    about: 'continue an interrupted exploration with the same options and --out; start one if there is none',
  },
  '--json': { about: 'print one JSON object: schedules, perSecond, coverage, finished, findings, causes' },
});
export type Flags = OptionsOf<typeof options> & {
  readonly only: readonly string[];
  readonly resume: boolean;
  readonly json: boolean;
  readonly new: boolean;
};
