import { Command } from 'commander';
import { spareInputs } from '../../../base/input/spare-inputs.js';
import { joinCalls } from '../../../tape/calls.js';
import { otlpLines } from '../../../tape/export/otlp.js';
import { createLineWriter } from '../../../tape/line-writer.js';
import { openTape, type TapeFile } from '../../../tape/read.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { patternSchema } from '../../options/option.js';
import { outputFileSchema } from '../../output/output-file.js';
import { openOutput } from './output.js';
import { entriesFor } from './selection.js';

const EXAMPLES = `
Examples:
  $ mockri tape export run.tape.gz --format otlp > run.jsonl             # for the OpenTelemetry collector, Jaeger
  $ mockri tape export nodes.tape.gz --format tape --node mock-7 > mock-7.tape
`;

type Write = (tape: Pick<TapeFile, 'header' | 'entries'>) => AsyncIterable<string>;

const writers: Readonly<Record<string, Write>> = {
  otlp: ({ header, entries }) => otlpLines(header, joinCalls(entries)),
  // Redacted values stay redacted.
  tape: async function* ({ header, entries }) {
    const lineOf = createLineWriter((line) => line);
    yield lineOf(header).trimEnd();
    for await (const { entry } of entries) yield lineOf(entry).trimEnd();
  },
};

const options = defineOptions({
  '--format <format>': {
    about: 'otlp: OTLP JSON lines; tape: the part of some nodes as a tape; required',
    choices: Object.keys(writers),
    required: true,
  },
  '--node <pattern>': { about: 'only these nodes: a name, glob or /expression/', schema: patternSchema },
  '-o, --output <file>': { about: 'file for the result; default: standard output', schema: outputFileSchema },
});
type Flags = OptionsOf<typeof options>;

/** `mockri tape export` converts a tape for other tools. */
export function tapeExportCommand(): Command {
  return addOptions(new Command('export'), options)
    .description('write a tape as OTLP, or the part of some nodes as a tape')
    .argument('<file>', 'a tape')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { format, node, output: path }: Flags) => {
      spareInputs('--output', path, [file]);
      const tape = await openTape(file);
      const output = openOutput(path);
      await output.lines(writers[format]?.({ header: tape.header, entries: entriesFor(tape, node) }) ?? []);
      await output.end();
    });
}
