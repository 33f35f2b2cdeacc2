import type { RuntimeProfile } from './profile.js';

/** A profile of a runtime on a host with CDI devices: later code finds out whether a device exists. */
export function withDevices(profile: RuntimeProfile): RuntimeProfile {
  const { checks } = profile.rules;
  if (checks === undefined) return profile;
  const container: typeof checks.container = (config, ...rest) =>
    checks.container({ ...config, CDIDevices: [] }, ...rest);
  return { ...profile, rules: { ...profile.rules, checks: { ...checks, container } } };
}
