import { z } from 'zod';
import { runtimeProfileNames } from '../../runtime/profiles/index.js';
import { type ProfileName, profileNames } from '../../suite/deviations/index.js';

/** `--profile`: the runtime whose known deviations apply. Its actual version selects among those of its versions. */
export const knownDeviations = (about: string) => ({
  about,
  choices: [...new Set<string>([...runtimeProfileNames, ...profileNames])],
  schema: z.string().transform(runtimeOf),
});

/** `containerd-2.4` is a version of `containerd`. */
const runtimeOf = (name: string): ProfileName =>
  profileNames.find((each) => name === each || new RegExp(`^${each}-\\d`).test(name)) ?? 'strict';
