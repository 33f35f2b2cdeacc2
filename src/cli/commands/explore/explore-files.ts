import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { counted } from '../../../base/input/counted.js';
import { firstOfEach } from '../../../base/input/first-of-each.js';
import { spareInputs } from '../../../base/input/spare-inputs.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { type KnownFindings, readKnown } from '../../../lab/explore/causes/known.js';
import {
  type Exploration,
  type ExploreProgress,
  explore,
  isSavedExploration,
} from '../../../lab/explore/explore.js';
import { confirmAll } from '../../../lab/explore/real/confirm.js';
import { toJunit } from '../../../lab/explore/report/junit.js';
import { keyOf } from '../../../lab/explore/run/remember.js';
import { checkSelection } from '../../../lab/explore/selection.js';
import { loadSubject, withStaticPods, withVersion } from '../../../lab/explore/subject/subject.js';
import { loadOracle } from '../../../lab/scenario/expect/oracle.js';
import type { LoadedScenario } from '../../../lab/scenario/file/loaded-scenario.js';
import { scenarioFiles } from '../../../lab/scenario/file/scenario-files.js';
import { makeOutputDirectory } from '../../output/output-directory.js';
import { writeOutput } from '../../output/output-file.js';
import { keepState, noteFreshSearch, readState } from '../../output/search-state.js';
import { withInterrupt } from '../../signals.js';
import { createSearchProgress, type SearchProgress } from '../../terminal/search-progress.js';
import type { Flags } from './flags.js';
import { confirmingKubelet, programOf, type SearchedProgram, versionsOf } from './kubelets.js';
import { publish } from './outcome.js';
import { summarize } from './summarize.js';

export async function exploreFiles(given: readonly string[], flags: Flags): Promise<void> {
  if (given.length === 0)
    throw new InputError(['expected manifests, a scenario, a tape, or the name of a bundled scenario']);
  const files = scenarioFiles(given);
  spareInputs('--junit', flags.junit, files);
  const known: KnownFindings = flags.known === undefined ? () => undefined : readKnown(flags.known);
  const confirms = flags.confirm === undefined ? undefined : confirmingKubelet(flags.confirm);
  const loaded = await loadSubject(files, { ...flags, ownKubelet: flags.kubelet !== undefined });
  const scenario = confirms?.isVirtual === false ? withStaticPods(loaded) : loaded;
  const program = programOf(flags, scenario);
  const versions = versionsOf(flags, program);
  const subjects = versions.map((version) => withVersion(scenario, version));
  await checkSelection(subjects, flags.only, program !== undefined);
  if (flags.resume) noteFreshSearch(flags.out, versions.map(stateFile));
  await makeOutputDirectory(flags.out, '--out');
  const oracle = flags.oracle === undefined ? undefined : await loadOracle(flags.oracle);
  const clock = createRealClock();
  const progress = createSearchProgress(process.stderr, clock);
  const { result: summary, interrupted } = await withInterrupt(async (signal) => {
    const { time } = flags.budget;
    const budget = time === undefined ? flags.budget : { time: time / versions.length };
    const parts: Exploration[] = [];
    for (const version of versions)
      parts.push(await exploreVersion(scenario, version, program, { ...flags, budget }, progress, signal));
    const all = firstOfEach(
      parts.flatMap(({ findings }) => findings),
      ({ kind }) => kind,
    );
    const summary = await summarize(all, parts, {
      ...flags,
      versions,
      known,
      ownRule: oracle,
      program,
      signal,
      isLate: () => time !== undefined && clock.elapsed() > time,
      // A kubelet program takes seconds for each finding.
      onWritten: program && ((done) => progress.note(`${done} of ${all.length} findings written`)),
    });
    await progress.end();
    if (confirms === undefined) return summary;
    const options = { ...confirms, clock, signal, oracle };
    const verdicts = await confirmAll(all, options, (done) =>
      progress.note(`${done} of ${all.length} findings tried with ${flags.confirm}`),
    );
    await progress.end();
    const findings = summary.findings.map((each, index) => ({ ...each, real: verdicts[index] }));
    return { ...summary, findings };
  });
  const result = { ...summary, ...loaded.assumed, finished: interrupted === undefined };
  if (flags.junit !== undefined) await writeOutput(flags.junit, toJunit(result), '--junit');
  const code = await publish(result, flags);
  process.exitCode = interrupted ?? code;
}

async function exploreVersion(
  scenario: LoadedScenario,
  version: string | undefined,
  program: SearchedProgram | undefined,
  flags: Flags,
  progress: SearchProgress,
  signal: AbortSignal,
): Promise<Exploration> {
  const { seed, depth, only, shard, oracle } = flags;
  const ownRule = oracle === undefined ? undefined : readTextFile(oracle, '--oracle');
  const key = keyOf(scenario, version, program?.path, program?.compares, seed, depth, only, shard, ownRule);
  const state = join(flags.out, stateFile(version));
  const explored = await explore({
    ...flags,
    program: program?.path,
    compares: program?.compares,
    scenario: withVersion(scenario, version),
    workers: flags.workers ?? availableParallelism(),
    clock: createRealClock(),
    signal,
    saved: flags.resume ? readState(state, key, isSavedExploration) : undefined,
    onProgress: (now, save) => progress.show(progressText(now, version), () => keepState(state, key, save())),
  });
  await progress.end();
  return explored;
}

function progressText(
  { schedules, perSecond, coverage, findings, reduced }: ExploreProgress,
  version: string | undefined,
): string {
  const kubelet = version === undefined ? '' : `kubelet ${version}: `;
  const what = reduced === undefined ? '' : `, ${reduced} of them shrunk`;
  return `${kubelet}${counted(schedules, 'schedule')}, ${perSecond.toFixed(1)} a second, ${counted(coverage, 'state')}, ${counted(findings, 'kind')} of findings${what}`;
}

const stateFile = (version: string | undefined): string =>
  `state${version === undefined ? '' : `-${version}`}.json`;
