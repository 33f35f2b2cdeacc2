import { basename } from 'node:path';
import { Command } from 'commander';
import { spareInputs } from '../../../base/input/spare-inputs.js';
import { readInput } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { diffTapes } from '../../../tape/diff.js';
import { openTape } from '../../../tape/read.js';
import type { About } from '../../../tape/viewer/about.js';
import { fillPage, loadPage } from '../../../tape/viewer/document.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { outputFileSchema } from '../../output/output-file.js';
import { refuseTerminal } from '../../output/page-output.js';
import { openOutput } from './output.js';

const EXAMPLES = `
Examples:
  $ mockri tape view run.tape.gz > timeline.html
  $ mockri tape view run.tape.gz --output timeline.html
  $ mockri tape view before.tape.gz after.tape.gz --output both.html   # on one axis, differences marked

The page is one file, loads nothing from the network, and opens in any browser. It holds the whole tape.
`;

const options = defineOptions({
  '-o, --output <file>': { about: 'file for the page; default: standard output', schema: outputFileSchema },
});

/** `mockri tape view` writes a page with the timeline of one or two tapes. */
export function tapeViewCommand(): Command {
  return addOptions(new Command('view'), options)
    .description('write a page with the timeline of one or two tapes')
    .argument('<file>', 'a tape')
    .argument('[other]', 'second tape, to compare')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, other: string | undefined, { output: path }: OptionsOf<typeof options>) => {
      if (path === undefined) refuseTerminal();
      const page = loadPage();
      spareInputs('--output', path, [file, other]);
      if (file === other) throw new InputError([`${file}: both tapes are the same file; give two`]);
      const tape = await readGiven(file);
      const second = other === undefined ? undefined : await readGiven(other);
      const about = second === undefined ? {} : await differencesOf(tape, second);
      if (second === undefined) await check(tape);
      const tapes = second === undefined ? [tape] : [tape, second];
      const title = tapes.map(({ name }) => name).join(' and ');
      const output = openOutput(path);
      output.line(fillPage(page, { about: { ...about, title }, tapes }));
      await output.end();
    });
}

/** Maximum bytes of a tape in a page. */
const LARGEST = 512 * 1024 * 1024;

interface GivenTape {
  readonly file: string;
  readonly name: string;
  readonly bytes: Buffer;
}

/** A pipe can be read only once, so the page and its description use the same bytes. */
const readGiven = async (file: string): Promise<GivenTape> => ({
  file,
  name: basename(file),
  bytes: await readInput(file, '', LARGEST),
});

const open = ({ file, bytes }: GivenTape) => openTape(file, bytes);

/** Reads the whole tape. Throws InputError with the line. */
async function check(given: GivenTape): Promise<void> {
  const tape = await open(given);
  for await (const _ of tape.entries);
  if (tape.isCut) process.stderr.write(`${given.file}: the last line is cut off\n`);
}

async function differencesOf(tape: GivenTape, other: GivenTape): Promise<About> {
  const { differences } = await diffTapes(await open(tape), await open(other));
  return { differences: differences.map(({ about, lines, texts }) => ({ about, lines, texts })) };
}
