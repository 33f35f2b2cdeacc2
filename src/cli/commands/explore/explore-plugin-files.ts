import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { counted } from '../../../base/input/counted.js';
import { InputError } from '../../../base/input/yaml.js';
import { explorePlugin, pluginBaseline } from '../../../lab/explore/plugins/explore-plugin.js';
import { loadPluginIncident, pluginIncidentFile } from '../../../lab/explore/plugins/incident.js';
import { loadPluginPods } from '../../../lab/explore/plugins/pods.js';
import { brokenBy } from '../../../lab/explore/plugins/rules.js';
import { runPlugin } from '../../../lab/explore/plugins/run.js';
import { type WrittenPluginFinding, writePluginFinding } from '../../../lab/explore/plugins/write.js';
import { SUMMARY_FILE } from '../../../lab/explore/report/summary.js';
import { makeOutputDirectory } from '../../output/output-directory.js';
import { withInterrupt } from '../../signals.js';
import { createSearchProgress } from '../../terminal/search-progress.js';
import type { Flags } from './flags.js';

/** Time in ms in which a plugin must connect. */
const PATIENCE = 10_000;

const WITHOUT_EFFECT = [
  'replicas',
  'known',
  'oracle',
  'workers',
  'kubeletVersion',
  'kubelet',
  'confirm',
  'junit',
  'resume',
  'new',
] as const satisfies readonly (keyof Flags)[];

export async function explorePluginFiles(
  files: readonly string[],
  flags: Flags & { readonly plugin: string },
): Promise<void> {
  refuseWithoutEffect(flags);
  const [first] = files;
  const file = first === undefined || files.length > 1 ? undefined : pluginIncidentFile(first);
  if (file !== undefined) await tryIncident(file, flags);
  else await search(files, flags);
}

function refuseWithoutEffect(flags: Flags): void {
  const given = WITHOUT_EFFECT.filter((name) => flags[name] !== undefined && flags[name] !== false);
  const names = given.map((name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`);
  if (names.length > 0 || flags.shard.of > 1)
    throw new InputError([
      `${[...names, ...(flags.shard.of > 1 ? ['--shard'] : [])].join(' and ')}: no effect with --plugin; allowed: --budget, --depth, --seed, --only, --out, --json`,
    ]);
}

async function tryIncident(file: string, { plugin: command, json }: Flags & { readonly plugin: string }) {
  const incident = await loadPluginIncident(file);
  const { result: broken, interrupted } = await withInterrupt(async (signal) => {
    const subject = { ...incident, command, clock: createRealClock(), patience: PATIENCE, signal };
    const baseline = await pluginBaseline(subject);
    return brokenBy(await runPlugin(subject, incident.schedule), baseline);
  });
  const has = broken.some(({ rule }) => rule === incident.breaks);
  const { title, see, why, fix } = incident;
  const lines = [
    ...broken.map(({ rule, message }) => `${rule}: ${message}`),
    ...(has ? [title, see, why, ...(fix === undefined ? [] : [fix])].map((text) => text.trim()) : []),
    has ? `the plugin has this defect: it breaks ${incident.breaks}` : `the plugin does not have this defect`,
  ];
  process.stdout.write(
    json ? `${JSON.stringify({ incident: title, broken, hasDefect: has })}\n` : `${lines.join('\n')}\n`,
  );
  process.exitCode = interrupted ?? (broken.length > 0 ? 1 : 0);
}

async function search(files: readonly string[], flags: Flags & { readonly plugin: string }): Promise<void> {
  const loaded = await loadPluginPods(files);
  await makeOutputDirectory(flags.out, '--out');
  const clock = createRealClock();
  const progress = createSearchProgress(process.stderr, clock);
  const { result, interrupted } = await withInterrupt(async (signal) => {
    const subject = { pods: loaded.pods, command: flags.plugin, clock, patience: PATIENCE, signal };
    const explored = await explorePlugin({
      ...flags,
      ...subject,
      onProgress: (schedules, findings) =>
        progress.show(
          `${counted(schedules, 'schedule')}, ${counted(findings, 'kind')} of findings`,
          async () => {},
        ),
    });
    await progress.end();
    const findings: WrittenPluginFinding[] = [];
    for (const finding of explored.findings)
      findings.push(await writePluginFinding(finding, subject, loaded, flags.out));
    return { ...explored, findings };
  });
  const summary = { ...result, finished: interrupted === undefined };
  await writeFile(join(flags.out, SUMMARY_FILE), `${JSON.stringify(summary, null, 2)}\n`);
  process.stdout.write(flags.json ? `${JSON.stringify(summary)}\n` : textOf(summary));
  process.exitCode = interrupted ?? (summary.findings.length > 0 ? 1 : 0);
}

function textOf({
  schedules,
  findings,
  isComplete,
}: {
  readonly schedules: number;
  readonly findings: readonly WrittenPluginFinding[];
  readonly isComplete: boolean;
}): string {
  const lines = findings.flatMap(
    ({ rule, message, perturbations, seen, tries, page, tape, replay }, index) => [
      `${index + 1}. ${rule}: ${message}`,
      ...perturbations.map((text) => `   ${text}`),
      ...(seen < tries ? [`   in ${seen} of ${tries} runs`] : []),
      `   look at ${page ?? tape}`,
      `   ${replay}`,
      '',
    ],
  );
  const end = [
    counted(schedules, 'schedule'),
    findings.length === 0 ? 'no findings' : counted(findings.length, 'finding'),
    ...(isComplete ? ['everything was tried'] : []),
  ];
  return [...lines, end.join(', ')].map((line) => `${line}\n`).join('');
}
