import { existsSync, statSync } from 'node:fs';
import { isObject } from '../../../base/input/object.js';
import { packageVersion } from '../../../base/input/package-version.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { ownProto } from '../../../cri/own-proto/own-proto.js';
import { keyOf } from '../../../lab/explore/run/remember.js';
import type { Simulation } from '../../../lab/scenario/run/run.js';
import { keepState, readState } from '../../output/search-state.js';
import { type ChosenRun, isMatrix } from './chosen-runs.js';
import type { Flags } from './flags.js';

/** The result of a run, with what is wrong with it; without a result, the run crashed. */
export interface DoneRun {
  readonly result?: Simulation;
  readonly problems: readonly string[];
  readonly failed?: string;
}

export interface KeptRuns {
  /** `golden` is the text that the run is compared with. */
  find(run: ChosenRun, golden: string | undefined): DoneRun | undefined;
  /** Writes the file, so that a matrix that is stopped loses only the run in progress. A crash is not kept. */
  add(run: ChosenRun, golden: string | undefined, done: DoneRun): Promise<void>;
}

/** What a matrix shows of a run; the rest is large. */
const shown = (result: Simulation): Simulation => ({
  ...result,
  entries: [],
  calls: [],
  log: [],
  outputs: [],
  metrics: [],
});

type SavedMatrix = { readonly runs: Readonly<Record<string, DoneRun>> };

const isSavedMatrix = (saved: object): saved is SavedMatrix =>
  'runs' in saved &&
  isObject(saved.runs) &&
  Object.values(saved.runs).every(
    (run) => isObject(run) && isObject(run.result) && Array.isArray(run.problems),
  );

/** The runs of a matrix in the file of `--resume`; undefined without it. Throws InputError for other outputs and files. */
export function keptRuns(flags: Flags): KeptRuns | undefined {
  const { resume: file } = flags;
  if (file === undefined) return undefined;
  if (!isMatrix(flags) || flags.output === 'html')
    throw new InputError(['--resume keeps the runs of --output matrix and of --upgrade; add one of them']);
  const version = `mockri simulate ${packageVersion()}`;
  const runs: Record<string, DoneRun> = { ...readState(file, version, isSavedMatrix)?.runs };
  const options = [flags.seed, flags.socket, textOf(flags.latency), textOf(flags.oracle), ownProto?.changes];
  const key = ({ scenario, program, nextProgram }: ChosenRun, golden: string | undefined) =>
    keyOf(scenario, stampOf(program), stampOf(nextProgram), options, golden);
  return {
    find: (run, golden) => runs[key(run, golden)],
    add: async (run, golden, { result, problems }) => {
      if (result === undefined) return;
      runs[key(run, golden)] = { result: shown(result), problems };
      await keepState(file, version, { runs });
    },
  };
}

/** Options that name a file: the file may change. */
const textOf = (given: string | undefined) =>
  given !== undefined && existsSync(given) ? readTextFile(given) : given;

/** A program may be built again with the same name. */
function stampOf(program: string | undefined) {
  if (program === undefined) return undefined;
  const { size, mtimeMs } = statSync(program);
  return [program, size, mtimeMs];
}
