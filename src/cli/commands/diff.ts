import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Command } from 'commander';
import { createRealClock } from '../../base/clock/real-clock.js';
import { counted } from '../../base/input/counted.js';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { makeTemporaryDirectory } from '../../base/input/temporary-directory.js';
import { InputError } from '../../base/input/yaml.js';
import { type CriConnection, connectCri } from '../../cri/client/connect.js';
import { chooseImage } from '../../suite/conformance/image.js';
import { Unusable } from '../../suite/conformance/unusable.js';
import { type DiffProgress, diffRuntimes } from '../../suite/diff/diff.js';
import { type Known, readKnown } from '../../suite/diff/known.js';
import { type DiffReport, showReport } from '../../suite/diff/report.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { endpointSchema } from '../options/endpoint.js';
import { argument } from '../options/option.js';
import { withInterrupt } from '../signals.js';
import { createProgressLine } from '../terminal/progress-line.js';

const EXAMPLES = `
Examples:
  $ mockri diff unix:///tmp/mockri.sock unix:///run/containerd/containerd.sock
  $ mockri diff unix:///run/a.sock unix:///run/b.sock --seed 7 --sequences 1000 --known known.yaml
  $ mockri diff unix:///run/a.sock unix:///run/b.sock --json | jq '.kinds[] | {method, left, right}'

Exit code: 0 no difference, 1 differences or something could not be removed, 2 the command line, a file or an endpoint
is unusable, 130 or 143 after Ctrl-C or SIGTERM; it then prints its findings and removes everything that it created.
`;

/** Timeouts of one call and of the first one, in ms. */
const CALL_TIMEOUT = 10_000;
const CONNECT_TIMEOUT = 5000;

const options = defineOptions({
  '--seed <number>': { about: 'seed for the sequences', schema: wholeNumberSchema(0), default: 1 },
  '--sequences <number>': {
    about: 'number of random sequences',
    schema: wholeNumberSchema(1, 10_000_000),
    default: 200,
  },
  '--parallel <number>': {
    about: 'number of sequences to run in parallel, at most 64',
    schema: wholeNumberSchema(1, 64),
    default: 4,
  },
  '--known <file>': { about: 'YAML file of explained differences, which are only counted' },
  '--image <reference>': {
    about:
      'image with sh, sleep, true and test; default: the first of several busybox images that is present or can be pulled',
  },
  '--no-subscribers': {
    about: 'open no second event stream: an unread one blocks some runtimes for seconds',
  },
  '--json': { about: 'print one JSON object' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri diff`: what two live runtimes do differently with the same calls. */
export function diffCommand(): Command {
  return addOptions(new Command('diff'), options)
    .description('compare two live runtimes with random sequences of calls')
    .addArgument(argument('<a>', 'endpoint of a runtime, unix:///path or tcp://host:port', endpointSchema))
    .addArgument(argument('<b>', 'endpoint of the other runtime', endpointSchema))
    .addHelpText('after', EXAMPLES)
    .action(async (a: string, b: string, flags: Flags) => {
      const known = flags.known === undefined ? [] : readKnown(flags.known);
      process.exitCode = await compare([a, b], known, flags);
    });
}

async function compare(
  endpoints: readonly [string, string],
  known: readonly Known[],
  flags: Flags,
): Promise<number> {
  const connections = endpoints.map((endpoint) => connectCri(endpoint)) as [CriConnection, CriConnection];
  const directory = makeTemporaryDirectory('mockri-diff-');
  try {
    const { result: report, interrupted } = await withInterrupt((signal) =>
      run(endpoints, connections, { ...flags, known, directory, signal }),
    );
    for (const line of flags.json ? [JSON.stringify(report, null, 2)] : showReport(report))
      process.stdout.write(`${line}\n`);
    return interrupted ?? (report.kinds.length > 0 || report.leftovers.length > 0 ? 1 : 0);
  } catch (error) {
    if (error instanceof Unusable) throw new InputError([error.message]);
    throw error;
  } finally {
    for (const connection of connections) connection.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Run extends Omit<Flags, 'known'> {
  readonly known: readonly Known[];
  readonly directory: string;
  readonly signal: AbortSignal;
}

async function run(
  [a, b]: readonly [string, string],
  [left, right]: readonly [CriConnection, CriConnection],
  options: Run,
): Promise<DiffReport> {
  const { signal } = options;
  const limits = { timeout: CALL_TIMEOUT, signal };
  for (const [index, connection] of [left, right].entries()) {
    const giveUp = () => connection.close();
    signal.addEventListener('abort', giveUp, { once: true });
    await connection.waitForReady(CONNECT_TIMEOUT).catch((error: Error) => {
      signal.throwIfAborted();
      throw new Unusable(`${index === 0 ? a : b}: ${error.message}`);
    });
    // From here on it is needed for cleanup.
    signal.removeEventListener('abort', giveUp);
  }
  // The second runtime must have the same image.
  const first = await chooseImage(left, options.image, limits);
  const second = await chooseImage(right, first.reference, limits);
  const clock = createRealClock();
  const progress = createProgressLine(process.stderr, clock);
  try {
    return await diffRuntimes({
      ...options,
      left: { name: a, cri: left },
      right: { name: b, cri: right },
      image: first.reference,
      run: randomBytes(4).toString('hex'),
      clock,
      timeout: CALL_TIMEOUT,
      onProgress: (now) => progress.show(progressText(now)),
    });
  } finally {
    progress.clear();
    const image = { image: first.reference };
    if (first.wasPulled) await left.removeImage({ image }, { timeout: CALL_TIMEOUT }).catch(() => {});
    if (second.wasPulled) await right.removeImage({ image }, { timeout: CALL_TIMEOUT }).catch(() => {});
  }
}

const progressText = ({ phase, done, of, kinds }: DiffProgress): string =>
  `${phase === 'sequences' ? 'sequence' : 'shortened'} ${done} of ${of}, ${counted(kinds, 'kind')} of difference`;
