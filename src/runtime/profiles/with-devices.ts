import type { RuntimeProfile } from './profile.js';

/** The profile of a runtime on whose host there are CDI devices: whether one can be resolved is found out later. */
export function withDevices(profile: RuntimeProfile): RuntimeProfile {
  const { checks } = profile.rules;
  if (checks === undefined) return profile;
  const container: typeof checks.container = (config, ...rest) =>
    checks.container({ ...config, CDIDevices: [] }, ...rest);
  return { ...profile, rules: { ...profile.rules, checks: { ...checks, container } } };
}
