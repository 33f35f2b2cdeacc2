import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeDirectory } from '../../../base/input/make-directory.js';
import { writeYaml } from '../../../base/input/yaml-document.js';
import { shellWord } from '../../../base/markup/shell-word.js';
import { writePage } from '../../../tape/viewer/document.js';
import type { PluginFinding } from './explore-plugin.js';
import type { WrittenIncident } from './incident.js';
import { lifeOf } from './life.js';
import { perturbationText, writtenPerturbation } from './perturbation.js';
import type { PluginPods } from './pods.js';
import { pluginRunRules } from './rules.js';
import { type PluginSubject, runPlugin } from './run.js';

export interface WrittenPluginFinding {
  readonly rule: string;
  readonly about: string;
  readonly message: string;
  readonly perturbations: readonly string[];
  /** In how many of `tries` runs the rule was broken. */
  readonly seen: number;
  readonly tries: number;
  /** The incident; `replay` runs the plugin with it. */
  readonly file: string;
  readonly tape: string;
  /** The timeline; undefined if the build has no page. */
  readonly page?: string | undefined;
  readonly replay: string;
}

export async function writePluginFinding(
  finding: PluginFinding,
  subject: PluginSubject & { readonly command: string },
  { written }: PluginPods,
  directory: string,
): Promise<WrittenPluginFinding> {
  const { rule, about, message, schedule, seen, tries } = finding;
  const life = lifeOf(subject.pods);
  const perturbations = schedule.map((each) => perturbationText(each, life));
  const story = {
    title: `A plugin breaks ${rule}: ${pluginRunRules[rule]}`,
    see: message,
    why: `${perturbations.join('; ')}.`,
  };
  const incident: WrittenIncident = {
    version: 1,
    ...story,
    ...(written && { pods: [...written] as WrittenIncident['pods'] }),
    schedule: schedule.map((each) => writtenPerturbation(each, life)),
    breaks: rule,
  };
  await makeDirectory(directory);
  const base = join(directory, fileName(finding, life));
  const file = `${base}.yaml`;
  await writeFile(file, writeYaml(incident));
  const tape = `${base}.tape.gz`;
  await runPlugin(subject, schedule, tape);
  const page = await writePage(`${base}.html`, tape, {
    ...story,
    runs: [{ findings: [], problems: [message] }],
  });
  const replay = `npx mockri explore --plugin ${shellWord(subject.command)} ${shellWord(relative('.', file) || file)}`;
  return { rule, about, message, perturbations, seen, tries, file, tape, page, replay };
}

function fileName({ rule, schedule }: PluginFinding, life: ReturnType<typeof lifeOf>): string {
  const parts = schedule.map(({ kind, at, for: count }) => `${kind}-${count}-${life[at]?.name}`);
  return [rule, ...parts]
    .join('-')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 120);
}
