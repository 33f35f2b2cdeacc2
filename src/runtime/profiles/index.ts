import { z } from 'zod';
import { containerd23 } from './containerd/containerd-2.3.js';
import { containerd24 } from './containerd/containerd-2.4.js';
import { criDockerd04 } from './cri-dockerd/cri-dockerd-0.4.js';
import { crio136 } from './cri-o/cri-o-1.36.js';
import type { RuntimeProfile } from './profile.js';

/** `strict` is the engine without a profile. */
export const runtimeProfileNames = [
  'strict',
  'containerd-2.4',
  'containerd-2.3',
  'cri-o-1.36',
  'cri-dockerd-0.4',
] as const;
export type RuntimeProfileName = (typeof runtimeProfileNames)[number];

/** A runtime without a version means its newest profile. */
const newest = {
  containerd: 'containerd-2.4',
  'cri-o': 'cri-o-1.36',
  'cri-dockerd': 'cri-dockerd-0.4',
} as const satisfies Readonly<Record<string, RuntimeProfileName>>;

type Runtime = keyof typeof newest;

export const runtimeProfileChoices = [...runtimeProfileNames, ...(Object.keys(newest) as Runtime[])] as const;

export type RuntimeProfileChoice = RuntimeProfileName | Runtime;

export const runtimeProfileName = (choice: RuntimeProfileChoice): RuntimeProfileName =>
  Object.hasOwn(newest, choice) ? newest[choice as Runtime] : (choice as RuntimeProfileName);

export const runtimeProfileSchema = z.enum(runtimeProfileChoices).transform(runtimeProfileName);

/** Undefined for `strict`. */
export const runtimeProfiles: Readonly<Record<RuntimeProfileName, RuntimeProfile | undefined>> = {
  strict: undefined,
  'containerd-2.4': containerd24,
  'containerd-2.3': containerd23,
  'cri-o-1.36': crio136,
  'cri-dockerd-0.4': criDockerd04,
};
