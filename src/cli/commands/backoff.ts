import { Command } from 'commander';
import { formatDuration } from '../../base/input/duration.js';
import { durationSchema, positiveDurationSchema, wholeNumberSchema } from '../../base/input/schemas.js';
import { crashLoopLimits } from '../../kubelet/backoff/crash-loop.js';
import { type CurvePoint, restartCurve } from '../../kubelet/backoff/curve.js';
import { kubeletSettings } from '../../kubelet/hosts/settings.js';
import { addOptions, defineOptions, type OptionsOf } from '../options/define-options.js';
import { featureGates } from '../options/kubelet-settings.js';
import { kubeletVersion } from '../options/kubelet-versions.js';

const EXAMPLES = `
Examples:
  $ mockri backoff                              defaults of a crashing container
  $ mockri backoff --run 6m40s                  long runs: the back-off resets while the container waits
  $ mockri backoff --max 60s                    crashLoopBackOff.maxContainerRestartPeriod: 60s
  $ mockri backoff --kubelet-version 1.35 --feature-gates ReduceDefaultCrashLoopBackOffDecay=true
  $ mockri backoff --restarts 20 --json | jq .waits

The kubelet restarts a container immediately after its first exit. After every later exit it waits: first for
the initial delay, then twice as long with every start, up to the maximum. It resets the delay if the last
start is longer ago than --reset, even while the container still waits.`;

/** Durations are in ms. */
const options = defineOptions({
  '--initial <duration>': {
    about: 'first delay (default: 10s, or 1s with ReduceDefaultCrashLoopBackOffDecay)',
    schema: positiveDurationSchema,
  },
  '--max <duration>': {
    about: 'maximum delay (default: 5m, or set by the feature gates)',
    schema: positiveDurationSchema,
  },
  '--reset <duration>': {
    about: 'reset the delay if the last start is longer ago than this',
    schema: positiveDurationSchema,
    default: 600_000,
    shown: '10m',
  },
  '--run <duration>': {
    about: 'how long the container runs each time',
    schema: durationSchema,
    default: 3000,
    shown: '3s',
  },
  '--exit <code>': {
    about: 'exit code of the container; it does not change the delays',
    schema: wholeNumberSchema(0, 255),
    default: 1,
  },
  '--restarts <number>': {
    about: 'number of restarts to print, at most 1000',
    schema: wholeNumberSchema(1, 1000),
    default: 10,
  },
  '--kubelet-version <version>': kubeletVersion,
  '--feature-gates <gates>': featureGates,
  '--json': { about: 'print one JSON object per restart, times in seconds' },
});
type Flags = OptionsOf<typeof options>;

export function backoffCommand(): Command {
  return addOptions(new Command('backoff'), options)
    .description('print when a kubelet restarts a container that keeps exiting (CrashLoopBackOff)')
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => {
      process.stdout.write(backoffText(flags, process.stdout.columns ?? 80));
    });
}

/** Throws InputError. `columns` is the width of the terminal. */
export function backoffText(options: Flags, columns: number): string {
  const { kubeletVersion, featureGates: gates } = options;
  const { version } = kubeletSettings({ version: kubeletVersion, gates });
  const limits = crashLoopLimits(version.gates, options.max);
  const settings = {
    ...options,
    initial: options.initial ?? limits.initial,
    max: options.max ?? limits.max,
    requeue: version.requeue,
  };
  const points = restartCurve(settings);
  if (options.json) return points.map((point) => `${JSON.stringify(toSeconds(point))}\n`).join('');
  const status = options.exit === 0 ? 'Completed' : 'Error';
  const head = [
    `kubelet ${version.name}: back-off ${formatDuration(settings.initial)} to ${formatDuration(settings.max)}, reset after ${formatDuration(options.reset)}`,
    `container: runs ${formatDuration(options.run)}, then exit ${options.exit} (${status}), restartPolicy Always`,
  ];
  return `${[...head, '', ...table(points, columns)].join('\n')}\n`;
}

const toSeconds = ({ restart, waits, latest, at, why }: CurvePoint) => ({
  restart,
  waits: waits / 1000,
  latest: latest / 1000,
  at: at / 1000,
  why,
});

const REASONS: Readonly<Record<CurvePoint['why'], string>> = {
  first: 'no back-off yet',
  'back-off': '',
  expired: 'reset: it ran long enough',
  collected: 'reset while it waited',
};

function table(points: readonly CurvePoint[], columns: number): string[] {
  const cells = points.map(({ restart, at, waits, latest, why }) => ({
    text: [String(restart), formatDuration(at), formatDuration(waits), formatDuration(latest)],
    waits,
    note: REASONS[why],
  }));
  const head = ['RESTART', 'AT', 'WAITS', 'AT MOST'];
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map(({ text }) => text[column]?.length ?? 0)),
  );
  const line = (text: readonly string[]) =>
    text.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const note = Math.max(...cells.map((cell) => (cell.waits > 0 ? cell.note.length : 0)));
  const room = Math.max(10, columns - line(head).length - 2 - (note > 0 ? note + 1 : 0));
  const longest = Math.max(1, ...points.map(({ waits }) => waits));
  const rows = cells.map(({ text, waits, note: why }) =>
    `${line(text)}  ${[bar(waits / longest, room), why].filter((part) => part !== '').join(' ')}`.trimEnd(),
  );
  return [line(head).trimEnd(), ...rows];
}

const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of at most `width` characters, in eighths of a character. */
function bar(part: number, width: number): string {
  const eighths = Math.round(part * width * 8);
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}
