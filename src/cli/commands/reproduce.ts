import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { createRealClock } from '../../base/clock/real-clock.js';
import { counted } from '../../base/input/counted.js';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { InputError } from '../../base/input/yaml.js';
import { kindText } from '../../lab/explore/report/kind-text.js';
import { keyOf } from '../../lab/explore/run/remember.js';
import { loadSubject } from '../../lab/explore/subject/subject.js';
import { readSeen } from '../../lab/reproduce/read/read-seen.js';
import { toJson } from '../../lab/reproduce/report/json.js';
import { writeCausesPage } from '../../lab/reproduce/report/page.js';
import { reportText } from '../../lab/reproduce/report/text.js';
import { writeCauses } from '../../lab/reproduce/report/write.js';
import {
  isSavedRuns,
  type ReproduceOptions,
  type ReproduceProgress,
  reproduce,
} from '../../lab/reproduce/reproduce.js';
import { causeKey } from '../../lab/reproduce/search/cause-key.js';
import { scenarioFiles } from '../../lab/scenario/file/scenario-files.js';
import { budgetSchema } from '../options/budget.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { kubeletVersionList } from '../options/kubelet-versions.js';
import { runtimeProfilesSchema } from '../options/runtime-profiles.js';
import { makeOutputDirectory } from '../output/output-directory.js';
import { keepState, noteFreshSearch, readState } from '../output/search-state.js';
import { withInterrupt } from '../signals.js';
import { createSearchProgress } from '../terminal/search-progress.js';
import { options as exploreOptions } from './explore/flags.js';

const EXAMPLES = `
Examples:
  $ mockri reproduce web.yaml --saw rows.txt --saw describe.txt
                          after kubectl get pod web -w > rows.txt, kubectl describe pod web > describe.txt
  $ mockri reproduce web.yaml --saw rows.txt --saw kubelet.log --kubelet-version 1.31 --budget 5m
  $ mockri reproduce db.yaml --saw pods.txt --pod db-1       of all the pods in kubectl get pods, this one
  $ mockri reproduce db.yaml --saw pods.txt --replicas 3     with three pods of the StatefulSet, even if the file has fewer
  $ mockri reproduce web.yaml --saw rows.txt --json | jq '.causes[] | [.fit, .cause]'
  $ mockri reproduce web.yaml --saw rows.txt --out causes    and a scenario for each cause

docs/incidents.md describes the input and the search.
Exit code: 0 a cause matches, 1 none does, 2 an invalid option or file, 130 or 143 after Ctrl-C or SIGTERM.
`;

const someText = z.string().min(1);

const options = defineOptions({
  '--saw <file>': {
    about:
      'file with output of kubectl get pod, describe, get events or get node, of crictl ps -a, a kubelet log, or a tape; repeatable',
    schema: someText,
    repeatable: true,
    required: true,
  },
  '--pod <name>': {
    about: 'name of the pod in these files; repeatable (default: all whose names match the manifest)',
    schema: someText,
    repeatable: true,
  },
  '--replicas <number>': {
    about: 'pods of each Deployment, StatefulSet, … (default: one for each in the files of --saw)',
    schema: wholeNumberSchema(1, 20),
  },
  '--budget <budget>': {
    about: 'limit of the search: a duration ("10m") or a number of runs ("500")',
    schema: budgetSchema,
    default: { time: 60_000 },
    shown: '60s',
  },
  '--seed <seed>': {
    about: 'seed for the order of the last runs',
    schema: wholeNumberSchema(0).transform(String),
    default: '1',
  },
  '--depth <number>': {
    about: 'maximum number of faults per run, 1 to 3',
    schema: wholeNumberSchema(1, 3),
    default: 2,
  },
  '--kubelet-version <versions>': kubeletVersionList(
    '1.36, 1.30,1.36 or 1.28..1.37; default: from the node or scenario; without either, one of each behavior',
  ),
  '--profile, --runtime-profile <names>': {
    about:
      'runtimes, such as containerd-2.4,cri-o; default: from the node or scenario; without either, one of each behavior',
    schema: runtimeProfilesSchema,
  },
  '--workers <number>': exploreOptions['--workers <number>'],
  '--out <directory>': {
    about:
      'directory for a scenario of each cause, a page that compares the best ones with the observations, and the state of the search',
    schema: someText,
  },
  '--resume': {
    about: 'continue an interrupted search with the same options and --out; start one if there is none',
  },
  '--json': { about: 'print one JSON object: causes, read, apart, runs, finished' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri reproduce` works backwards from observations to possible causes. */
export function reproduceCommand(): Command {
  return addOptions(new Command('reproduce'), options)
    .description('find the faults that would produce the rows, events, logs and statuses of a pod')
    .argument('<pod>', 'a manifest of pods, a scenario, a tape, or a name from "mockri simulate --list"')
    .addHelpText('after', EXAMPLES)
    .action((pod: string, flags: Partial<Flags>) =>
      reproducePod(pod, { resume: false, json: false, ...flags } as Flags),
    );
}

const STATE = 'state.json';

async function reproducePod(given: string, flags: Flags): Promise<void> {
  const clock = createRealClock();
  const begun = clock.elapsed();
  if (flags.resume && flags.out === undefined)
    throw new InputError(['--resume: expected --out with the directory of the search']);
  if (flags.resume && flags.out !== undefined) noteFreshSearch(flags.out, [STATE]);
  const [file, ...others] = scenarioFiles([given]);
  if (file === undefined || others.length > 0)
    throw new InputError([`${given}: expected one manifest or scenario, not ${others.length + 1}`]);
  const scenario = await loadSubject([file], { replicas: flags.replicas });
  const saw = await Promise.all(flags.saw.map(readSeen));
  if (flags.out !== undefined) await makeOutputDirectory(flags.out, '--out');
  const state = flags.out === undefined ? undefined : join(flags.out, STATE);
  const { seed, depth, budget, kubeletVersion: versions, runtimeProfile: runtimes } = flags;
  const key = keyOf(scenario, saw, flags.pod, versions, runtimes, seed, depth);
  const progress = createSearchProgress(process.stderr, clock, 200);
  const options: Omit<ReproduceOptions, 'signal'> = {
    scenario,
    saw,
    pods: flags.pod,
    budget,
    seed,
    depth,
    versions,
    runtimes,
    workers: flags.workers ?? availableParallelism(),
    clock,
    begun,
    saved: flags.resume && state !== undefined ? readState(state, key, isSavedRuns) : undefined,
    onProgress: (now, save) =>
      progress.show(progressText(now), async () => {
        if (state !== undefined) await keepState(state, key, save());
      }),
  };
  const { result, interrupted } = await withInterrupt((signal) => reproduce({ ...options, signal }));
  await progress.end();
  const files = flags.out === undefined ? [] : await writeCauses(result.causes, flags.out);
  const page =
    flags.out === undefined ? undefined : await writeCausesPage(result.seen, result.causes, flags.out);
  const finished = interrupted === undefined;
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...toJson(result, saw, files), ...(page !== undefined && { page }), finished })}\n`
      : reportText(result, saw, { scenarios: files, page }, finished),
  );
  process.exitCode = interrupted ?? (result.causes[0]?.verdict === 'comes nearest' ? 1 : 0);
}

function progressText({ runs, best }: ReproduceProgress): string {
  if (best === undefined) return counted(runs, 'run');
  return `${counted(runs, 'run')}, best ${best.score.toFixed(2)}: ${kindText(causeKey(best.planned.schedule)) || 'no fault'}`;
}
