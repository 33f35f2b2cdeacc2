import { Command } from 'commander';
import { addOptions } from '../options/define-options.js';
import { exploreFiles } from './explore/explore-files.js';
import { type Flags, options } from './explore/flags.js';
import { exploreMergeCommand } from './explore/merge.js';

const EXAMPLES = `
Examples:
  $ mockri explore web.yaml                              a minute of fault schedules for the pods of a manifest
  $ kubectl get deploy web -o yaml | mockri explore - --replicas 2
  $ mockri explore web.yaml --budget 500 --json | jq '.findings[].rule'
  $ mockri explore scenario.yaml --only event,restart --depth 2 --budget 10m
  $ mockri explore scenario.yaml --kubelet-version 1.28..1.37 --budget 300
  $ mockri explore run.tape.gz                           the pods of a recording
  $ mockri explore web.yaml --oracle never-oom.mjs       and a rule of your own
  $ mockri explore web.yaml --kubelet 1.37              on a real kubelet that was built for virtual time
  $ mockri explore web.yaml --kubelet both              what the simulated kubelet does differently
  $ mockri explore web.yaml --confirm /usr/bin/kubelet   and compare what is found with a real kubelet
  $ mockri explore --plugin './my-plugin -idx 10 -socket-path $NRI_SOCKET'   a node resource plugin (NRI)
  $ mockri explore scenario.yaml --shard 1/4 --out shard-1
  $ mockri explore merge shard-1 shard-2 shard-3 shard-4 --out all

docs/explore.md lists the faults and the rules.
Exit code: 0 no finding, 1 findings that --known does not accept (with --new, nor are known behavior of Kubernetes),
2 an invalid option or file, 130 or 143 after Ctrl-C or SIGTERM.
`;

/** `mockri explore`: looks for the faults that break the rules of kubelet and runtime. */
export function exploreCommand(): Command {
  return (
    addOptions(new Command('explore'), options)
      // `merge` has its own --out and --json.
      .enablePositionalOptions()
      .description(
        'try faults at every point of a scenario, and shrink each failure to a minimal reproduction',
      )
      .argument(
        '[scenarios...]',
        'manifests, a scenario, a tape, - for standard input, or a name from "mockri simulate --list"; with --plugin manifests or an incident, or nothing',
      )
      .addHelpText('after', EXAMPLES)
      .addCommand(exploreMergeCommand())
      .action(async (files: string[], given: Partial<Flags>) => {
        const flags = { only: [], resume: false, json: false, new: false, ...given } as Flags;
        const { plugin } = flags;
        if (plugin === undefined) return exploreFiles(files, flags);
        const { explorePluginFiles } = await import('./explore/explore-plugin-files.js');
        return explorePluginFiles(files, { ...flags, plugin });
      })
  );
}
