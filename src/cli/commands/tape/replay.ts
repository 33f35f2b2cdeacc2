import { rm } from 'node:fs/promises';
import { Command } from 'commander';
import type { Clock } from '../../../base/clock/clock.js';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { counted, timesOf } from '../../../base/input/counted.js';
import { makeTemporaryDirectory } from '../../../base/input/temporary-directory.js';
import { InputError } from '../../../base/input/yaml.js';
import { legendOf, sidesOf } from '../../../base/markup/sides.js';
import { CallError } from '../../../cri/client/call-error.js';
import type { CriClient } from '../../../cri/client/client.js';
import { connectCri } from '../../../cri/client/connect.js';
import { Code } from '../../../cri/status-code.js';
import { replayTape } from '../../../suite/replay/replay.js';
import type { ReplayDifference, ReplayReport } from '../../../suite/replay/report.js';
import { readHistory } from '../../../tape/history/exchanges.js';
import { openTape } from '../../../tape/read.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { endpointSchema } from '../../options/endpoint.js';
import { readBy } from '../../options/option.js';
import { withInterrupt } from '../../signals.js';
import { createProgressLine, type ProgressStream } from '../../terminal/progress-line.js';
import { openOutput } from './output.js';

const EXAMPLES = `
Examples:
  $ mockri tape replay run.tape.gz --endpoint unix:///run/containerd/containerd.sock
  $ mockri tape replay run.tape.gz --endpoint unix:///tmp/mockri.sock --speed max --json | jq .differences

Pods get other uids than on the tape, and are removed at the end. Differences with a reason in brackets
do not count, such as the moment of a call; docs/tape.md lists the reasons.
Exit code: 0 no difference without a reason, 1 differences, 2 the file is not a tape, or no runtime answers, 130 after Ctrl-C.
`;

/** Time in ms in which the runtime must answer. */
const CONNECT_TIMEOUT = 10_000;

const speedSchema = readBy((text) => {
  const speed = text === 'max' ? Number.POSITIVE_INFINITY : Number(text);
  return speed > 0 ? speed : undefined;
}, 'expected a number above 0, such as 10, or max');

const options = defineOptions({
  '--endpoint <endpoint>': {
    about: 'runtime to call, such as unix:///run/containerd/containerd.sock; required',
    schema: endpointSchema,
    required: true,
  },
  '--speed <n>': {
    about: '1 for the recorded pace, 10 for ten times as fast, max for no waiting',
    schema: speedSchema,
    default: 1,
  },
  '--keep': { about: 'leave the pods in the runtime at the end' },
  '--json': { about: 'print one JSON object' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri tape replay` repeats the calls of a tape, and compares the replies. */
export function tapeReplayCommand(): Command {
  return addOptions(new Command('replay'), options)
    .description('repeat the calls of a tape on a runtime, and compare the replies')
    .argument('<file>', 'a tape')
    .addHelpText('after', EXAMPLES)
    .action(replay);
}

async function replay(file: string, flags: Flags): Promise<void> {
  const { endpoint } = flags;
  const history = await readHistory(await openTape(file));
  const clock = createRealClock();
  const cri = connectCri(endpoint, { clock });
  const directory = makeTemporaryDirectory('mockri-replay-');
  try {
    await greet(cri, endpoint);
    const { speed, keep } = flags;
    const progress = createReplayProgress(process.stderr, history.exchanges.length, clock);
    const { result, interrupted } = await withInterrupt((signal) =>
      replayTape({ history, cri, clock, speed, directory, signal, keep, onProgress: progress.show }),
    ).finally(progress.clear);
    await print(result, file, flags);
    process.exitCode = interrupted ?? (result.differences.some(({ reason }) => reason === undefined) ? 1 : 0);
  } finally {
    cri.close();
    // A kept container's mounts stay.
    if (!flags.keep) await rm(directory, { recursive: true, force: true });
  }
}

/** Fails immediately if no runtime listens; does not repeat the first call. */
async function greet(cri: CriClient, endpoint: string): Promise<void> {
  try {
    await cri.version({ version: '' }, { timeout: CONNECT_TIMEOUT });
  } catch (error) {
    // Any other error is a reply.
    if (!(error instanceof CallError)) throw error;
    if (!SILENCE.has(error.code)) return;
    throw new InputError([
      `no runtime answers at ${endpoint}; start one, or correct --endpoint (${error.codeName}: ${error.details})`,
    ]);
  }
}

/** Codes of a call that reached no runtime. */
const SILENCE: ReadonlySet<number> = new Set([Code.UNAVAILABLE, Code.DEADLINE_EXCEEDED]);

/** Milliseconds between two lines of progress. */
const PROGRESS_EVERY = 100;

/** Progress of a replay on a terminal. `total` is the number of calls on the tape. */
export function createReplayProgress(
  stream: ProgressStream,
  total: number,
  clock: Clock,
): { show(calls: number): void; clear(): void } {
  const { show, clear } = createProgressLine(stream, clock, { every: PROGRESS_EVERY });
  return { show: (calls) => show(`call ${calls} of ${total}`), clear };
}

async function print(report: ReplayReport, file: string, { json, endpoint }: Flags): Promise<void> {
  const output = openOutput();
  await output.lines(json ? [JSON.stringify(report)] : linesOf(report, file, endpoint));
  await output.end();
}

function* linesOf(
  { calls, same, differences, skipped, behind }: ReplayReport,
  file: string,
  endpoint: string,
): Generator<string> {
  if (differences.length > 0) yield legendOf(file, endpoint);
  for (const difference of differences) yield* linesOfDifference(difference, file);
  for (const { method, why, line, times } of skipped)
    yield `not made: ${method}, because ${why} (${file}:${line}, ${timesOf(times)})`;
  if (behind >= 1) yield `the replay was up to ${behind.toFixed(1)} s behind its pace`;
  const open = differences.filter(({ reason }) => reason === undefined);
  yield `${counted(calls, 'call')} made, ${same} answered as on the tape; ${counted(open.length, 'difference')}, ${differences.length - open.length} more with a reason`;
}

function* linesOfDifference(difference: ReplayDifference, file: string): Generator<string> {
  const { method, about, path, recorded, live, line, times, reason } = difference;
  const where = `${file}:${line}, ${timesOf(times)}`;
  yield `${reason ? `[${reason}] ` : ''}${method}${about ? ` ${about}` : ''}${path ? ` ${path}` : ''}  (${where})`;
  yield* sidesOf(recorded, live);
}
