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

const schema = z
  .strictObject({
    /** The directory of the runtime's source in which each `file` is. */
    source: z.string(),
    deviations: z.array(
      z.union([
        z.strictObject({ ...about, link: z.string() }),
        z.strictObject({ ...about, file: z.string() }),
      ]),
    ),
  })
  .transform(({ source, deviations }) =>
    deviations.map((given) => {
      if ('link' in given) return given;
      const { file, ...deviation } = given;
      return { ...deviation, link: `${source}/${file}` };
    }),
  );

/** `strict` allows none. */
export const deviationsOf = (name: ProfileName): DeviationProfile => ({
  name,
  deviations: name === 'strict' ? [] : packageData(`src/suite/deviations/${name}.yaml`, schema),
});

/** The profile for a runtime's name; `strict` if the name is unknown. */
export function profileFor(runtimeName: string): ProfileName {
  const name = runtimeName.toLowerCase();
  if (name === 'docker') return 'cri-dockerd';
  return profileNames.find((candidate) => candidate === name) ?? 'strict';
}
