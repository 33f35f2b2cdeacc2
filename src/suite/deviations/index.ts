import { z } from 'zod';
import { packageData } from '../../base/input/package-data.js';
import type { DeviationProfile } from './deviation.js';

export const profileNames = ['strict', 'containerd', 'cri-o', 'cri-dockerd'] as const;
export type ProfileName = (typeof profileNames)[number];

const about = {
  check: z.string(),
  why: z.string(),
  versions: z.array(z.tuple([z.string(), z.string()])).optional(),
  sometimes: z.literal(true).optional(),
  fatal: z.literal(true).optional(),
};

const schema = z.strictObject({
  /** The directory of the runtime's source in which each `file` is. */
  source: z.string(),
  deviations: z.array(
    z.union([z.strictObject({ ...about, link: z.string() }), z.strictObject({ ...about, file: z.string() })]),
  ),
});

const known = new Map<ProfileName, DeviationProfile>([['strict', { name: 'strict', deviations: [] }]]);

/** `strict` allows none. */
export function deviationsOf(name: ProfileName): DeviationProfile {
  const profile = known.get(name) ?? read(name);
  known.set(name, profile);
  return profile;
}

function read(name: ProfileName): DeviationProfile {
  const { source, deviations } = packageData(`src/suite/deviations/${name}.yaml`, schema);
  return {
    name,
    deviations: deviations.map((given) => {
      if ('link' in given) return given;
      const { file, ...deviation } = given;
      return { ...deviation, link: `${source}/${file}` };
    }),
  };
}

/** The profile for a runtime's name; `strict` if the name is unknown. */
export function profileFor(runtimeName: string): ProfileName {
  const name = runtimeName.toLowerCase();
  if (name === 'docker') return 'cri-dockerd';
  return profileNames.find((candidate) => candidate === name) ?? 'strict';
}
