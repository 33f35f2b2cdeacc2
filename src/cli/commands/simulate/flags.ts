import { unknownImagesChoices } from '../../../../adapters/memory/guess/facts.js';
import { positiveDurationSchema, wholeNumberSchema } from '../../../base/input/schemas.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { outputFormats } from '../../../lab/scenario/output/formats.js';
import { parseVaried } from '../../../lab/scenario/vary/field.js';
import { defineOptions, type OptionsOf } from '../../options/define-options.js';
import { kubeletVersionList, parseKubelets } from '../../options/kubelet-versions.js';
import { keepList, readBy } from '../../options/option.js';
import { runtimeProfilesSchema } from '../../options/runtime-profiles.js';
import { outputFileSchema } from '../../output/output-file.js';

/** Options of runs, which `--list` does not accept. */
const NOT_LISTED =
  'output explain seed kubeletVersion runtimeProfile latency vary real socket kubelet record keep oracle replicas until save upgrade budget resume junit unknownImages update'.split(
    ' ',
  );

export const options = defineOptions({
  '-o, --output <format>': {
    about:
      'table: rows as in kubectl get pod -w; matrix: which pairs of kubelet and runtime behave the same; json: rows as JSON lines, of several runs with file and run; events: Kubernetes events; timeline: everything that happens; html: a page with the timeline',
    choices: outputFormats,
  },
  '--explain': {
    about:
      'also print the symptom, the cause and the remedy, and explain each restart and each change of PLEG and node',
  },
  '--seed <seed>': {
    about: "seed for all random numbers; default: the scenario's",
    schema: wholeNumberSchema(0).transform(String),
  },
  '--kubelet-version <versions>': kubeletVersionList(
    `${kubeletVersions[0]} to ${kubeletVersions.at(-1)}; several (1.30,1.36 or 1.28..1.37) are compared in one table`,
  ),
  '--profile, --runtime-profile <names>': {
    about: "runtime profile, or several to compare, such as containerd-2.4,cri-o; default: the scenario's",
    schema: runtimeProfilesSchema,
  },
  '--latency <choice>': {
    about: "latency of the runtime: profile, none, or a file of times; default: the scenario's",
  },
  '--vary <field>': {
    about:
      'compare runs with other values of a field of the scenario or its manifests: latency, latency.pull=1s,1m, readinessProbe.periodSeconds=1,5,10; repeatable',
    schema: readBy(parseVaried),
    repeatable: true,
    conflicts: ['update'],
  },
  '--real': { about: 'run in real time, over a real unix socket', conflicts: ['socket'] },
  '--socket': { about: 'run in virtual time, over a real unix socket' },
  '--kubelet <program>': {
    about:
      'a real kubelet built for virtual time, or its version, instead of the simulated one; of several (1.30..1.37 or 1.36,./kubelet), versions that are not built are simulated',
    parse: parseKubelets,
    conflicts: ['real', 'socket', 'update', 'kubeletVersion'],
  },
  '--upgrade <which>': {
    about:
      'upgrade the kubelet in place in the middle of each run, and compare with a restart: next: each version to the next one; all: to each newer one; down: to the one before',
    choices: ['next', 'all', 'down'],
    conflicts: ['vary', 'update', 'real', 'explain'],
  },
  '--budget <duration>': {
    about: 'begin no run after this time; runs that are left out fail the command',
    schema: positiveDurationSchema,
  },
  '--resume <file>': {
    about:
      'file that keeps the runs of a matrix; the same command again continues it, and one with other kubelets or runtimes runs only the new pairs',
    schema: outputFileSchema,
    conflicts: ['record', 'update', 'real'],
  },
  '--junit <file>': { about: 'file for a JUnit report with a test for each run', schema: outputFileSchema },
  '--json': {
    about: 'print one JSON document per run; with --list, one per scenario',
    conflicts: ['output'],
  },
  '--record <file>': {
    about: 'record each run into this file, compressed when it ends in .gz; several get numbers',
    schema: outputFileSchema,
  },
  '--keep <list>': keepList('what --record does not redact', '; a page (html) has all by default'),
  '--oracle <file>': { about: 'a module whose function checks the tape of each run' },
  '--replicas <number>': {
    about: 'number of pods per Deployment, StatefulSet, ReplicaSet and Job in manifests; default: one',
    schema: wholeNumberSchema(0, 250),
  },
  '--unknown-images <choice>': {
    about:
      'containers with an unknown image and a command that is not simulated: run as a healthy server (default), or fail because their program is missing',
    choices: unknownImagesChoices,
  },
  '--until <duration>': {
    about: 'run time of the manifests’ pods; default: 4m, or until each container has ended three times',
    schema: positiveDurationSchema,
  },
  '--save <file>': {
    about: 'write the manifests as a scenario into this file, with all guesses',
    schema: outputFileSchema,
  },
  '--update': { about: 'write the golden files from this run' },
  '--list': { about: 'list the bundled scenarios', conflicts: NOT_LISTED },
});
export type Flags = OptionsOf<typeof options>;
