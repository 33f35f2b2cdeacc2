import { containerd } from './containerd.js';
import { criDockerd } from './cri-dockerd.js';
import { crio } from './cri-o.js';
import type { DeviationProfile } from './deviation.js';

/** Runtimes with known deviations. */
export const profileNames = ['strict', 'containerd', 'cri-o', 'cri-dockerd'] as const;
/** One of `profileNames`. */
export type ProfileName = (typeof profileNames)[number];

/** Known deviations of each runtime; `strict` allows none. */
export const profiles: Readonly<Record<ProfileName, DeviationProfile>> = {
  strict: { name: 'strict', deviations: [] },
  containerd,
  'cri-o': crio,
  'cri-dockerd': criDockerd,
};

/** The profile for a runtime's name; `strict` if the name is unknown. */
export function profileFor(runtimeName: string): ProfileName {
  const name = runtimeName.toLowerCase();
  if (name === 'docker') return 'cri-dockerd';
  return profileNames.find((candidate) => candidate === name) ?? 'strict';
}
