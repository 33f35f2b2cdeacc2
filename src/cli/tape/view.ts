import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Command } from 'commander';
import { InputError } from '../../input/yaml.js';
import { diffTapes } from '../../tape/diff.js';
import { openTape } from '../../tape/read.js';
import type { About } from '../../viewer/about.js';
import { fillPage, loadPage } from '../../viewer/document.js';
import { refuseTerminal } from '../page-output.js';
import { openOutput } from './output.js';

const EXAMPLES = `
Examples:
  $ mockri tape view run.tape.gz > timeline.html
  $ mockri tape view run.tape.gz --output timeline.html
  $ mockri tape view before.tape.gz after.tape.gz --output both.html   # on one axis, differences marked

The page is one file, loads nothing from the network, and opens in any browser. It holds the whole tape.
`;

/** `mockri tape view`: a page with the timeline of a tape, or of two. */
export function tapeViewCommand(): Command {
  return new Command('view')
    .description('make a page that shows the timeline of a tape, or of two')
    .argument('<file>', 'a tape')
    .argument('[other]', 'another one, to compare')
    .option('--output <file>', 'file for the page; default: standard output')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, other: string | undefined, { output: path }: { output?: string }) => {
      if (path === undefined) refuseTerminal();
      const page = loadPage();
      const files = other === undefined ? [file] : [file, other];
      const about = other === undefined ? {} : await differencesOf(file, other);
      if (other === undefined) await check(file);
      const names = files.map((each) => basename(each));
      const tapes = await Promise.all(
        files.map(async (each, index) => ({ name: names[index] ?? each, bytes: await readFile(each) })),
      );
      const output = openOutput(path);
      output.line(fillPage(page, { about: { ...about, title: names.join(' and ') }, tapes }));
      await output.end();
    });
}

/** Reads the whole tape. Throws InputError with the line of what is wrong. */
async function check(file: string): Promise<void> {
  const tape = await openTape(file);
  for await (const _ of tape.entries);
  if (tape.isCut) process.stderr.write(`${file}: the last line is cut off\n`);
}

async function differencesOf(file: string, other: string): Promise<About> {
  if (file === other) throw new InputError([`${file}: both tapes are the same file; give two`]);
  const { differences } = await diffTapes(await openTape(file), await openTape(other));
  return { differences: differences.map(({ about, lines, texts }) => ({ about, lines, texts })) };
}
