import { fstatSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { counted } from '../../../base/input/counted.js';
import { STANDARD_INPUT } from '../../../base/input/open-input.js';
import { unreadable } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { createCrioLogReader } from '../../../tape/import/crio-log.js';
import { importLog } from '../../../tape/import/import.js';
import { createKubeletLogReader } from '../../../tape/import/kubelet-log.js';
import type { LogReader } from '../../../tape/import/log-reader.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { keepList } from '../../options/option.js';

const EXAMPLES = `
Examples:
  $ mockri tape import --from kubelet-log kubelet.log --output kubelet.tape.gz   # of a kubelet with -v=10
  $ mockri tape import --from cri-o-debug crio.log | head                        # of crio --log-level debug

Stderr and the tape's header list what the log lacks.
Exit code: 0 a tape is written, 2 the log has no CRI call, or an unreadable one.
`;

const readers = {
  'cri-o-debug': () => createCrioLogReader(),
  'kubelet-log': (file: string) => createKubeletLogReader(yearOf(file)),
} satisfies Record<string, (file: string) => LogReader>;

/** klog omits the year: use that of the log's last modification. */
function yearOf(file: string): number {
  try {
    return (file === STANDARD_INPUT ? fstatSync(0) : statSync(file)).mtime.getUTCFullYear();
  } catch (error) {
    throw new InputError([`${file}: ${unreadable(error)}`]);
  }
}

const options = defineOptions({
  '--from <format>': {
    about: 'kubelet-log: of a kubelet with -v=10; cri-o-debug: of crio --log-level debug',
    choices: Object.keys(readers) as (keyof typeof readers)[],
    required: true,
  },
  '-o, --output <file>': {
    about: 'file for the tape, compressed when it ends in .gz; default: standard output',
  },
  '--keep <list>': keepList('categories to leave unredacted'),
});
type Flags = OptionsOf<typeof options>;

/** `mockri tape import` converts a log of a kubelet or of CRI-O to a tape. */
export function tapeImportCommand(): Command {
  return addOptions(new Command('import'), options)
    .description('make a tape from the log of a kubelet or of CRI-O')
    .argument('<file>', 'a log')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { from, output = '/dev/stdout', keep }: Flags) => {
      const reader = readers[from](file);
      await importLog({ log: file, reader, output, keep, about: {} });
      const { calls, orphans } = reader.counts;
      const lines = [
        `${file}: ${counted(calls, 'call')}${orphans > 0 ? `, and ${counted(orphans, 'answer')} to calls that the log lacks` : ''}`,
        ...reader.lacks.map((each) => `  such a log lacks ${each}`),
      ];
      process.stderr.write(lines.map((line) => `${line}\n`).join(''));
    });
}
