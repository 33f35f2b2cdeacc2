import { Command, Option } from 'commander';
import { joinCalls } from '../../tape/calls.js';
import { createOtlpExport, OTLP_BATCH } from '../../tape/export/otlp.js';
import { createPerfettoExport } from '../../tape/export/perfetto.js';
import { openTape, type TapeFile } from '../../tape/read.js';
import { type Output, openOutput } from './output.js';

const EXAMPLES = `
Examples:
  $ mockri tape export run.tape.gz --format perfetto --output run.json   # for https://ui.perfetto.dev
  $ mockri tape export run.tape.gz --format otlp > run.jsonl             # for the OpenTelemetry collector, Jaeger
`;

type Write = (tape: TapeFile, output: Output) => Promise<void>;

const writers: Readonly<Record<string, Write>> = {
  otlp: async (tape, output) => {
    const { span, line } = createOtlpExport(tape.header);
    let spans: object[] = [];
    for await (const each of joinCalls(tape.entries)) {
      const made = span(each);
      if (made !== undefined) spans.push(made);
      if (spans.length < OTLP_BATCH) continue;
      output.line(line(spans));
      spans = [];
      await output.room();
    }
    if (spans.length > 0) output.line(line(spans));
  },
  perfetto: async (tape, output) => {
    const { events, rest } = createPerfettoExport();
    let before = '{"displayTimeUnit":"ms","traceEvents":[';
    const write = (event: object) => {
      output.line(`${before}${JSON.stringify(event)}`);
      before = ',';
    };
    for await (const each of joinCalls(tape.entries)) {
      for (const event of events(each)) write(event);
      await output.room();
    }
    for (const event of rest()) write(event);
    output.line(before === ',' ? ']}' : `${before}]}`);
  },
};

/** `mockri tape export`: a tape in the form of other tools. */
export function tapeExportCommand(): Command {
  return new Command('export')
    .description('write a tape in the form of tracing tools')
    .argument('<file>', 'a tape')
    .addOption(
      new Option('--format <format>', 'otlp: OTLP JSON lines; perfetto: a trace for ui.perfetto.dev')
        .choices(Object.keys(writers))
        .makeOptionMandatory(),
    )
    .option('--output <file>', 'where to write; default stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (file: string, { format, output: path }: { format: string; output?: string }) => {
      const tape = await openTape(file);
      const output = openOutput(path);
      await writers[format]?.(tape, output);
      await output.end();
    });
}
