import { Command } from 'commander';
import { counted } from '../../../base/input/counted.js';
import { legendOf, sidesOf } from '../../../base/markup/sides.js';
import { diffTapes, type TapeDiff } from '../../../tape/diff.js';
import { openTape } from '../../../tape/read.js';
import { showNanos } from '../../../tape/show.js';
import { openOutput } from './output.js';

const EXAMPLES = `
Examples:
  $ mockri tape diff before.tape.gz after.tape.gz
  $ mockri tape diff before.tape.gz after.tape.gz --json | jq .differences

Exit code: 0 no difference, 1 differences, 2 a file is not a tape. Differences in time alone are shown, but do not count.
`;

/** `mockri tape diff` compares two runtimes with the same pods. */
export function tapeDiffCommand(): Command {
  return new Command('diff')
    .description('compare two tapes pod by pod and container by container')
    .argument('<a>', 'a tape')
    .argument('<b>', 'another one')
    .option('--json', 'print one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (a: string, b: string, flags: { readonly json?: true }) => {
      const diff = await diffTapes(await openTape(a), await openTape(b));
      const output = openOutput();
      await output.lines(flags.json ? [JSON.stringify(diff)] : linesOf(a, b, diff));
      await output.end();
      if (diff.differences.length > 0) process.exitCode = 1;
    });
}

function* linesOf(a: string, b: string, { differences, same, times }: TapeDiff): Generator<string> {
  if (differences.length > 0) yield legendOf(a, b);
  let last = '';
  for (const { about, index, lines, texts } of differences) {
    if (about !== last) yield about;
    last = about;
    const sideOf = (side: 0 | 1, file: string) =>
      texts[side] === '' ? undefined : `${texts[side]}  (${file}:${lines[side]}, call ${index})`;
    yield* sidesOf(sideOf(0, a), sideOf(1, b));
  }
  for (const { method, medians } of times)
    yield `time of ${method}: median ${showNanos(medians[0])} and ${showNanos(medians[1])}`;
  yield `${counted(same, 'call is', 'calls are')} the same, ${counted(differences.length, 'differs', 'differ')}`;
}
