import { containerd } from './containerd.js';
import { criDockerd } from './cri-dockerd.js';
import { crio } from './cri-o.js';
import type { Profile } from './profile.js';

/** Whose known deviations can be expected. */
export const profileNames = ['strict', 'containerd', 'cri-o', 'cri-dockerd'] as const;
/** One of `profileNames`. */
export type ProfileName = (typeof profileNames)[number];

/** The deviations that are known of each runtime; a strict one is allowed none. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  strict: { name: 'strict', deviations: [] },
  containerd,
  'cri-o': crio,
  'cri-dockerd': criDockerd,
};

/** The profile that fits a runtime's own name; strict for one that isn't known. */
export function profileFor(runtimeName: string): ProfileName {
  const name = runtimeName.toLowerCase();
  if (name === 'docker') return 'cri-dockerd';
  return profileNames.find((candidate) => candidate === name) ?? 'strict';
}
