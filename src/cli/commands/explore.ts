import { Command } from 'commander';
import { z } from 'zod';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { budgetSchema } from '../options/budget.js';
import { kubeletVersionsOption } from '../options/kubelet-versions.js';
import { option, readBy } from '../options/option.js';
import { outputFileSchema } from '../output/output-file.js';
import { exploreFiles } from './explore/explore-files.js';
import { type Flags, shardSchema } from './explore/flags.js';
import { exploreMergeCommand } from './explore/merge.js';
import { newOption } from './explore/outcome.js';

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

const someText = z.string().min(1);

/** `mockri explore`: looks for the faults that break the rules of kubelet and runtime. */
export function exploreCommand(): Command {
  const command = new Command('explore')
    // `merge` has its own --out and --json.
    .enablePositionalOptions()
    .description('try faults at every point of a scenario, and shrink each failure to a minimal reproduction')
    .argument(
      '[scenarios...]',
      'manifests, a scenario, a tape, - for standard input, or a name from "mockri simulate --list"; with --plugin manifests or an incident, or nothing',
    );
  searchOptions(command);
  findingOptions(command);
  runOptions(command);
  return partOptions(command)
    .option('--json', 'print one JSON object: schedules, perSecond, coverage, finished, findings, causes')
    .addHelpText('after', EXAMPLES)
    .addCommand(exploreMergeCommand())
    .action(async (files: string[], given: Partial<Flags>) => {
      const flags = { only: [], resume: false, json: false, new: false, ...given } as Flags;
      const { plugin } = flags;
      if (plugin === undefined) return exploreFiles(files, flags);
      const { explorePluginFiles } = await import('./explore/explore-plugin-files.js');
      return explorePluginFiles(files, { ...flags, plugin });
    });
}

const searchOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--budget <budget>',
        'how long the search takes ("10m"), or how many schedules it tries ("500"); a time includes shrinking and writing the findings',
        budgetSchema,
      ).default({ time: 60_000 }, '60s'),
    )
    .addOption(
      option('--seed <seed>', 'seed of the random schedules', wholeNumberSchema(0).transform(String)).default(
        '1',
      ),
    )
    .addOption(
      option(
        '--depth <number>',
        'maximum number of perturbations per schedule, 1 to 5',
        wholeNumberSchema(1, 5),
      ).default(2),
    )
    .addOption(
      option(
        '--only <list>',
        'families, kinds or methods of perturbations, separated by commas: restart,StartContainer',
        readBy((text) => text.split(',').map((word) => word.trim())),
      ),
    )
    .addOption(
      option(
        '--replicas <number>',
        'number of pods per Deployment, StatefulSet, ReplicaSet and Job in manifests; default: one',
        wholeNumberSchema(0, 250),
      ),
    );

const findingOptions = (command: Command): Command =>
  command
    .option('--known <file>', 'YAML file of accepted findings: they do not fail the command')
    .addOption(newOption())
    .addOption(option('--oracle <file>', 'a module whose function checks the tape of a run', someText))
    .addOption(
      option(
        '--out <directory>',
        'directory for the findings, findings.json and the state of the search',
        someText,
      ).default('explore-findings'),
    );

const runOptions = (command: Command): Command =>
  command
    .addOption(
      option(
        '--workers <number>',
        'worker threads; 0 uses only the main thread (default: one per core)',
        wholeNumberSchema(0, 256),
      ),
    )
    .addOption(
      kubeletVersionsOption('1.36, 1.30,1.36 or 1.28..1.37: several give a table; default: the scenario’s'),
    )
    .addOption(
      option(
        '--kubelet <program>',
        'a real kubelet built for virtual time, or its version: it replaces the simulated one; both: each runs all schedules, and differences are findings',
        someText,
      ),
    )
    .addOption(
      option(
        '--plugin <command>',
        'shell command line of a node resource plugin (NRI) to explore in real time; $NRI_SOCKET is the path of its socket',
        someText,
      ),
    )
    .addOption(
      option(
        '--confirm <program>',
        'a real kubelet that confirms the findings: in virtual time if it was built for that, else in real time, as root',
        someText,
      ),
    );

const partOptions = (command: Command): Command =>
  command
    .addOption(option('--junit <file>', 'file for a JUnit report', outputFileSchema))
    .addOption(
      option('--shard <i/n>', 'part of the search for this process, such as 2/4', shardSchema).default(
        { index: 0, of: 1 },
        '1/1',
      ),
    )
    .option(
      '--resume',
      'continue an interrupted exploration with the same options and --out; start one if there is none',
    );
