import { Option } from 'commander';
import { runtimeProfileNames } from '../../runtime/profiles/index.js';
import { type ProfileName, profileNames } from '../../suite/deviations/index.js';

/** `--profile`: the runtime whose known deviations apply. Its actual version selects among those of its versions. */
export function knownDeviationsOption(description: string): Option {
  const option = new Option('--profile <name>', description).choices([
    ...new Set<string>([...runtimeProfileNames, ...profileNames]),
  ]);
  const check = option.parseArg;
  return option.argParser((given: string, before: unknown) => {
    check?.(given, before);
    return runtimeOf(given);
  });
}

/** `containerd-2.1` is a version of `containerd`. */
const runtimeOf = (name: string): ProfileName =>
  profileNames.find((each) => name === each || new RegExp(`^${each}-\\d`).test(name)) ?? 'strict';
