import { Command } from 'commander';

const EXAMPLES = `
Examples:
  $ mockri serve --record run.tape.gz
  $ mockri tape show run.tape.gz --pod web
  $ mockri tape judge run.tape.gz
  $ mockri tape diff before.tape.gz after.tape.gz
  $ mockri tape view run.tape.gz --output timeline.html
  $ mockri tape replay run.tape.gz --endpoint unix:///run/containerd/containerd.sock
  $ mockri tape export run.tape.gz --format otlp --output run.jsonl
  $ mockri tape import --from kubelet-log kubelet.log --output run.tape.gz

Exit code: 0 done, 1 findings or differences, 2 a tape or the command line is invalid.
`;

export async function tapeCommand(): Promise<Command> {
  const [
    { tapeShowCommand },
    { tapeViewCommand },
    { tapeJudgeCommand },
    { tapeDiffCommand },
    { tapeReplayCommand },
    { tapeExportCommand },
    { tapeImportCommand },
  ] = await Promise.all([
    import('./tape/show.js'),
    import('./tape/view.js'),
    import('./tape/judge.js'),
    import('./tape/diff.js'),
    import('./tape/replay.js'),
    import('./tape/export.js'),
    import('./tape/import.js'),
  ]);
  return new Command('tape')
    .description('show, check, compare, replay, export and import recordings')
    .addCommand(tapeShowCommand())
    .addCommand(tapeViewCommand())
    .addCommand(tapeJudgeCommand())
    .addCommand(tapeDiffCommand())
    .addCommand(tapeReplayCommand())
    .addCommand(tapeExportCommand())
    .addCommand(tapeImportCommand())
    .addHelpText('after', EXAMPLES);
}
