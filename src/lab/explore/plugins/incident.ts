import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isObject } from '../../../base/input/object.js';
import { STANDARD_INPUT } from '../../../base/input/open-input.js';
import { packagePath } from '../../../base/input/package-path.js';
import { readTextFile } from '../../../base/input/text-file.js';
import { openYaml } from '../../../base/input/yaml.js';
import { isTape } from '../subject/subject.js';
import { type LifePod, lifeOf } from './life.js';
import { type PluginPerturbation, perturbationSchema, readPerturbations } from './perturbation.js';
import { writtenPods } from './pods.js';
import { type PluginRunRule, pluginRunRules } from './rules.js';

const ruleNames = Object.keys(pluginRunRules) as [PluginRunRule, ...PluginRunRule[]];

/** File with an incident of a plugin: `explore --plugin` writes and replays it. */
export const pluginIncidentSchema = z.strictObject({
  version: z.literal(1),
  title: z.string(),
  see: z.string().describe('what users see'),
  why: z.string().describe('what causes it'),
  fix: z.string().optional().describe('what to change'),
  pods: z
    .array(z.looseObject({}))
    .min(1)
    .max(100)
    .optional()
    .describe('pods as in a scenario; without them, three pods: job, web and db'),
  schedule: z.array(perturbationSchema).min(1).max(10).describe('what happens to the plugin'),
  breaks: z.enum(ruleNames).describe('the rule that a plugin with the defect breaks'),
});

export type WrittenIncident = z.input<typeof pluginIncidentSchema>;

export interface PluginIncident extends Pick<WrittenIncident, 'title' | 'see' | 'why' | 'fix'> {
  readonly breaks: PluginRunRule;
  readonly pods: readonly LifePod[];
  readonly schedule: readonly PluginPerturbation[];
}

/** Path of an incident's file, or the name of a built-in one; undefined for anything else. */
export function pluginIncidentFile(given: string): string | undefined {
  if (given === STANDARD_INPUT) return undefined;
  if (!existsSync(given)) {
    const bundled = join(packagePath('scenarios/plugins'), `${given}.yaml`);
    return /^[a-z-]+$/.test(given) && existsSync(bundled) ? bundled : undefined;
  }
  if (isTape(given)) return undefined;
  const { written } = openYaml(readTextFile(given), given);
  return isObject(written) && 'schedule' in written ? given : undefined;
}

/** Throws InputError with file and line. */
export async function loadPluginIncident(file: string): Promise<PluginIncident> {
  const { value } = openYaml(readTextFile(file), file).read(pluginIncidentSchema);
  const { pods } = await writtenPods(value.pods, file);
  return { ...value, pods, schedule: readPerturbations(value.schedule, lifeOf(pods), file) };
}
