import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { createRealClock } from '../../base/clock/real-clock.js';
import { positiveDurationSchema, wholeNumberSchema } from '../../base/input/schemas.js';
import { spareInputs } from '../../base/input/spare-inputs.js';
import { didYouMean } from '../../base/input/suggest.js';
import { readTextFile } from '../../base/input/text-file.js';
import { UserError } from '../../base/input/user-error.js';
import { InputError, parseYaml } from '../../base/input/yaml.js';
import type { Check, Facts } from '../../suite/conformance/index.js';
import { toDifference } from '../../suite/conformance/report/difference.js';
import { fileEndings, formatOf, formats } from '../../suite/conformance/report/formats.js';
import { toHtml } from '../../suite/conformance/report/html.js';
import {
  exitCodeOf,
  type SavedReport,
  savedReportSchema,
  saveReport,
  saveResult,
  unusableReport,
  withPaths,
} from '../../suite/conformance/report/saved.js';
import { createTree } from '../../suite/conformance/report/tree.js';
import { runConformance, selectChecks } from '../../suite/conformance/runner.js';
import { allChecks } from '../../suite/conformance/specs/index.js';
import { Unusable } from '../../suite/conformance/unusable.js';
import type { ProfileName } from '../../suite/deviations/index.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { endpointSchema } from '../options/endpoint.js';
import { knownDeviations } from '../options/known-deviations.js';
import { readBy } from '../options/option.js';
import { makeOutputDirectory } from '../output/output-directory.js';
import { outputFileSchema } from '../output/output-file.js';
import { withInterrupt } from '../signals.js';
import { wantsColor } from '../terminal/color.js';
import { createProgressLine } from '../terminal/progress-line.js';
import { judgeLoad, refuseOtherOptions } from './conformance/load.js';
import { createCheckRecorder } from './conformance/recorder.js';

const outputs = ['tree', 'tap', 'junit', 'json'] as const;

const EXAMPLES = `
Examples:
  $ mockri conformance --endpoint unix:///run/containerd/containerd.sock
  $ mockri conformance --endpoint unix:///tmp/mockri.sock --focus 'INV-29|logs' --repeat 20
  $ mockri conformance --endpoint unix:///run/crio/crio.sock --output junit --write crio.json > crio.xml
  $ mockri conformance --endpoint unix:///tmp/mockri.sock --record failed --write report.html
  $ mockri conformance compare before.json after.json
  $ mockri conformance compare mockri.json containerd.json --write side-by-side.html

Exit code: 0 no rule is broken, 1 a rule is broken or something could not be removed, 2 the run could not complete,
130 or 143 after Ctrl-C or SIGTERM; it then also removes everything that it created.
`;

const patternSchema = readBy((text) => new RegExp(text));

const controlSchema = readBy((text) => {
  const url = /^[^/\s]+:\d+$/.test(text) ? `http://${text}` : text;
  return /^https?:\/\//.test(url) && URL.canParse(url) ? url : undefined;
}, 'expected the control URL in the ready line of mockri serve, such as http://127.0.0.1:10350');

const reportFileSchema = outputFileSchema.refine(
  (file) => formatOf(file) !== undefined,
  `expected a file that ends in one of ${fileEndings.join(', ')}`,
);

const options = defineOptions({
  '--endpoint <address>': {
    about: 'unix:///path of the runtime; required except with --list',
    schema: endpointSchema,
  },
  '--profile <name>': knownDeviations(
    'runtime whose known deviations are expected; strict expects none; default: by the name of the runtime, else strict',
  ),
  '--focus <pattern>': {
    about: 'run only checks whose id, group or rule matches this regular expression',
    schema: patternSchema,
  },
  '--skip <pattern>': {
    about: 'skip checks whose id, group or rule matches this regular expression',
    schema: patternSchema,
  },
  '--seed <number>': { about: 'seed for all random choices', schema: wholeNumberSchema(0), default: 1 },
  '--repeat <times>': {
    about: 'number of times to run each check; the first failure counts',
    schema: wholeNumberSchema(1, 1000),
    default: 1,
  },
  '--parallel <checks>': {
    about: 'number of checks that run at the same time, at most 64',
    schema: wholeNumberSchema(1, 64),
    default: 4,
  },
  '--image <reference>': {
    about:
      'image with a shell; default: the first of several busybox images that is present or can be pulled',
  },
  '--timeout <duration>': {
    about: 'time limit for one check',
    schema: positiveDurationSchema,
    default: 60_000,
    shown: '1m',
  },
  '--restart-command <command>': { about: 'shell command that restarts the runtime; INV-53 needs it' },
  '--control <url>': { about: "Mockri's control API; INV-54 needs it", schema: controlSchema },
  '--record <directory>': {
    about: 'keep a tape and a timeline page of each check that fails in this directory; reports link them',
  },
  '-o, --output <format>': { about: 'format on stdout', choices: outputs, default: 'tree' },
  '--write <file>': {
    about: `also write a report file; its extension selects the format: ${fileEndings.join(', ')}; repeatable`,
    schema: reportFileSchema,
    repeatable: true,
  },
  '--load': {
    about:
      'check the invariants under load instead: random calls of many clients to many pods; --timeout then limits one call',
  },
  '--clients <number>': {
    about: 'number of clients for --load, at most 256',
    schema: wholeNumberSchema(1, 256),
    default: 16,
  },
  '--pods <number>': {
    about: 'pods that exist at the same time during a load, at most 10,000',
    schema: wholeNumberSchema(1, 10_000),
    default: 200,
  },
  '--duration <duration>': {
    about: 'duration of a load once all its pods exist',
    schema: positiveDurationSchema,
    default: 60_000,
    shown: '1m',
  },
  '--list': { about: 'print the selected checks without running them; with --output json as JSON' },
});
type Flags = OptionsOf<typeof options>;

/** `mockri conformance`: checks a CRI endpoint against the invariants. */
export function conformanceCommand(): Command {
  return addOptions(new Command('conformance'), options)
    .description('test any CRI endpoint against the invariants of CRI runtimes')
    .addHelpText('after', EXAMPLES)
    .enablePositionalOptions()
    .addCommand(compareCommand())
    .action(async (flags: Flags, command: Command) => {
      refuseOtherOptions(command, flags.load === true);
      if (flags.load) process.exitCode = await judgeLoad(withEndpoint(flags), process.stdout);
      else process.exitCode = flags.list ? list(flags) : await judge(withEndpoint(flags), process.stdout);
    });
}

function compareCommand(): Command {
  return addOptions(new Command('compare'), {
    '--write <file.html>': {
      about: 'HTML file to write; default: the differences as text on stdout',
      schema: outputFileSchema,
    },
  })
    .description('print where JSON reports differ, or put them side by side on one HTML page')
    .argument('<report.json...>', 'JSON reports of several runtimes')
    .action(async (files: string[], _: unknown, command: Command) => {
      const { write } = command.opts<{ write?: string }>();
      if (write === undefined) {
        process.stdout.write(toDifference(files.map(readReport)));
        return;
      }
      spareInputs('--write', write, files);
      const pathsOf = (file: string) => (path: string) => relative(dirname(write), join(dirname(file), path));
      await writeFile(write, toHtml(files.map((file) => withPaths(readReport(file), pathsOf(file)))));
    });
}

/** In bytes; a full run has a few hundred thousand. */
const LARGEST_REPORT = 16 * 1024 * 1024;

const readReport = (file: string): SavedReport =>
  parseYaml(readTextFile(file, '', LARGEST_REPORT), savedReportSchema, file);

function list(flags: Flags): number {
  if (flags.output !== 'tree' && flags.output !== 'json')
    throw new InputError([`--list: expected --output tree or json; given "${flags.output}"`]);
  const checks = chosen(flags);
  const text =
    flags.output === 'json'
      ? JSON.stringify(
          checks.map(({ id, group, tag, severity, rule, source }) => ({
            ...{ id, group, tag, severity, rule, source },
          })),
          null,
          2,
        )
      : checks.map(describeCheck).join('\n');
  process.stdout.write(`${text}\n`);
  return 0;
}

/** One line per check: id, group, tag, severity and rule. */
const describeCheck = ({ id, group, tag, severity, rule }: Check): string =>
  `${id.padEnd(28)} ${group.padEnd(18)} ${tag.padEnd(6)} ${severity.padEnd(6)}  ${rule}`;

/** Throws InputError for options without an endpoint. */
function withEndpoint(flags: Flags) {
  const { endpoint } = flags;
  if (endpoint !== undefined) return { ...flags, endpoint };
  throw new InputError([
    '--endpoint is missing: specify the address of the runtime, such as unix:///run/containerd/containerd.sock',
  ]);
}

/** Runs the checks and writes the reports; resolves with the exit code. */
async function judge(flags: ReturnType<typeof withEndpoint>, screen: NodeJS.WriteStream): Promise<number> {
  const { endpoint, seed } = flags;
  const checks = chosen(flags);
  if (flags.record !== undefined) await makeOutputDirectory(flags.record, '--record');
  const { result: report, interrupted } = await withInterrupt((signal) =>
    run({ ...flags, endpoint, checks, signal, screen }),
  );
  if (flags.output !== 'tree') screen.write(formats[flags.output](report));
  for (const file of flags.write ?? []) {
    const linked = withPaths(report, (path) => relative(dirname(file), path));
    await writeFile(file, formats[formatOf(file) ?? 'json'](linked));
  }
  const trouble = report.unusable ?? report.incomplete;
  if (trouble !== undefined) process.stderr.write(`mockri: ${trouble}\n`);
  return interrupted ?? exitCodeOf({ ...report, seed } as SavedReport);
}

interface Run extends Flags {
  readonly endpoint: string;
  readonly checks: readonly Check[];
  readonly signal: AbortSignal;
  readonly screen: NodeJS.WriteStream;
}

async function run({ screen, restartCommand, output, record, ...options }: Run): Promise<SavedReport> {
  const { endpoint, seed } = options;
  const progress = createProgressLine(screen, createRealClock());
  const tree = output === 'tree' ? createTree(screen, { color: wantsColor(screen), progress }) : undefined;
  let profile: ProfileName = 'strict';
  try {
    const report = saveReport(
      await runConformance({
        ...options,
        recorder: record === undefined ? undefined : createCheckRecorder(record),
        focus: undefined,
        skip: undefined,
        restart: restartCommand === undefined ? undefined : restartWith(restartCommand),
        onStart: (facts, used, checks) => {
          profile = used;
          tree?.start(titleOf(facts, used, endpoint), checks);
        },
        onBegin: tree?.begin,
        onResult: (result) => tree?.result(saveResult(result, { endpoint, seed, profile })),
      }),
    );
    tree?.end(report);
    return report;
  } catch (error) {
    if (error instanceof Unusable) return unusableReport(endpoint, seed, error.message);
    throw error;
  }
}

const titleOf = ({ runtimeName, runtimeVersion, image }: Facts, profile: string, endpoint: string): string =>
  `${runtimeName} ${runtimeVersion} at ${endpoint}, profile ${profile}, image ${image}`;

function chosen({ focus, skip }: Flags): readonly Check[] {
  const checks = selectChecks(allChecks, { focus, skip });
  if (checks.length > 0) return checks;
  const focused = selectChecks(allChecks, { focus, skip: undefined });
  if (focused.length > 0)
    throw new InputError(['--skip excludes every check that --focus selects; --list prints all checks']);
  const words = allChecks.flatMap(({ id, group, rule }) => [id, group, ...rule.split(/[^\w-]+/)]);
  throw new InputError([
    `--focus ${focus?.source}: no check matches${didYouMean(focus?.source ?? '', words)}; --list prints all checks`,
  ]);
}

/** Rejects with a UserError that contains the command's output if it fails. */
const restartWith = (command: string) => async (): Promise<void> => {
  await promisify(execFile)('/bin/sh', ['-c', command]).catch(({ code, signal, stderr }) => {
    const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
    throw new UserError(
      `--restart-command ${JSON.stringify(command)} ${end}: ${String(stderr).trim() || 'no output'}`,
    );
  });
};
