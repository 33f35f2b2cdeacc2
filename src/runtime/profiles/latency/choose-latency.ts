import { z } from 'zod';
import { readTextFile } from '../../../base/input/text-file.js';
import { InputError, parseYaml } from '../../../base/input/yaml.js';
import { type RuntimeProfileName, runtimeProfileNames, runtimeProfiles } from '../index.js';
import type { Latency } from './latency.js';
import { operationsSchema } from './latency-schema.js';

/** The source of a runtime's times: its profile, none, or a file. */
export type LatencyChoice = 'profile' | 'none' | (string & {});

export const latencyFileSchema = z.strictObject({
  version: z.literal(1),
  base: z.enum([...runtimeProfileNames, 'none']).default('none'),
  operations: operationsSchema,
});

/**
 * Returns the times of a choice; undefined for none. Operations replace those of the profile. Without a choice, a real
 * runtime's profile has its own times and `strict` has none, or the usual ones. Throws InputError for an unreadable
 * file, and for `profile` if the profile has no times. `source` names the setting in errors.
 */
export function chooseLatency(
  choice: LatencyChoice | Latency | undefined,
  profile: RuntimeProfileName,
  source: string,
  usual?: Latency,
): Latency | undefined {
  const own = timesOf(profile) ?? usual;
  if (choice === undefined) return own;
  if (typeof choice === 'object') return { ...own, ...choice };
  if (choice === 'none') return undefined;
  if (choice === 'profile') {
    if (own !== undefined) return own;
    throw new InputError([
      `${source}: the profile ${profile} has no times; choose another profile, "none" or a file`,
    ]);
  }
  const { base, operations } = parseYaml(readTextFile(choice, source), latencyFileSchema, choice);
  return { ...timesOf(base), ...operations };
}

const timesOf = (name: RuntimeProfileName | 'none'): Latency | undefined =>
  name === 'none' ? undefined : runtimeProfiles[name]?.latency();
