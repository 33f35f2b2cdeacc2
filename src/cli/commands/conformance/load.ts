import type { Command } from 'commander';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { counted } from '../../../base/input/counted.js';
import { InputError } from '../../../base/input/yaml.js';
import { Unusable } from '../../../suite/conformance/unusable.js';
import type { LoadOptions } from '../../../suite/load/load.js';
import { type LoadProgress, runLoad } from '../../../suite/load/load.js';
import { exitCodeOfLoad, showLoad } from '../../../suite/load/report.js';
import { withInterrupt } from '../../signals.js';
import { createProgressLine } from '../../terminal/progress-line.js';

export interface LoadFlags extends Omit<LoadOptions, 'patience' | 'signal' | 'clock' | 'onProgress'> {
  readonly output: string;
}

const OF_LOAD = ['clients', 'pods', 'duration'];
const OF_CHECKS = [
  'focus',
  'skip',
  'repeat',
  'parallel',
  'restartCommand',
  'control',
  'record',
  'write',
  'list',
];

/** Throws InputError for an option of the other kind of run. */
export function refuseOtherOptions(command: Command, isLoad: boolean): void {
  for (const name of isLoad ? OF_CHECKS : OF_LOAD) {
    if (command.getOptionValueSource(name) !== 'cli') continue;
    const flag = command.options.find((option) => option.attributeName() === name)?.long ?? name;
    throw new InputError([`${flag} has no effect ${isLoad ? 'with' : 'without'} --load`]);
  }
}

/** Runs `conformance --load` and prints its report; resolves with the exit code. */
export async function judgeLoad(flags: LoadFlags, screen: NodeJS.WriteStream): Promise<number> {
  const { output, clients, pods } = flags;
  if (output !== 'tree' && output !== 'json')
    throw new InputError([`--load: expected --output tree or json; given "${output}"`]);
  if (pods < clients)
    throw new InputError([
      `--pods: expected at least one pod for each of ${clients} clients; given "${pods}"`,
    ]);
  const clock = createRealClock();
  const progress = createProgressLine(process.stderr, clock);
  try {
    const { result: report, interrupted } = await withInterrupt((signal) =>
      runLoad({ ...flags, clock, signal, onProgress: (now) => progress.show(progressText(now)) }),
    );
    progress.clear();
    const lines = output === 'json' ? [JSON.stringify(report, null, 2)] : showLoad(report);
    for (const line of lines) screen.write(`${line}\n`);
    if (report.incomplete !== undefined) process.stderr.write(`mockri: ${report.incomplete}\n`);
    return interrupted ?? exitCodeOfLoad(report);
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    process.stderr.write(`mockri: ${error.message}\n`);
    return 2;
  } finally {
    progress.clear();
  }
}

const PHASES: Readonly<Record<LoadProgress['phase'], string>> = {
  filling: 'pods',
  load: 'seconds',
  shortening: 'rules shortened',
  removing: 'pods removed',
};

const progressText = ({ phase, done, of, calls, kinds }: LoadProgress): string =>
  `${done} of ${of} ${PHASES[phase]}, ${counted(calls, 'call')}, ${counted(kinds, 'rule')} broken`;
