import { Command } from 'commander';

const EXAMPLES = `
Examples:
  $ mockri serve --record run.tape.gz
  $ mockri tape show run.tape.gz --pod web
  $ mockri tape judge run.tape.gz

Exit code: 0 done, 1 findings or differences, 2 a tape or the command line was not understood.
`;

/** `mockri tape`: what can be done with a recording. */
export async function tapeCommand(): Promise<Command> {
  const [{ tapeShowCommand }, { tapeJudgeCommand }] = await Promise.all([
    import('./tape/show.js'),
    import('./tape/judge.js'),
  ]);
  return new Command('tape')
    .description('show and check recordings')
    .addCommand(tapeShowCommand())
    .addCommand(tapeJudgeCommand())
    .addHelpText('after', EXAMPLES);
}
