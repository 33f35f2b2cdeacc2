import { z } from 'zod';
import { readJsonFile } from '../../../src/base/input/text-file.js';
import { invalid } from '../../../src/cri/errors.js';
import {
  type LinuxContainerSecurityContext,
  SecurityProfile_ProfileType as ProfileType,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { SeccompFilter } from '../../../src/linux/process/process.js';

/** The simulated part of a profile (OCI runtime spec, LinuxSeccomp). */
const profileSchema = z.object({
  defaultAction: z.string(),
  syscalls: z
    .array(z.object({ names: z.array(z.string()), action: z.string(), args: z.array(z.unknown()).nullish() }))
    .default([]),
});

/** The syscalls that containerd's default profile forbids beyond capabilities are not simulated. */
const RUNTIME_DEFAULT: SeccompFilter = { forbids: () => false };

/**
 * The filter of a security context; undefined for none. No profile is unconfined, and a privileged container has none
 * (cri-api LinuxContainerSecurityContext.seccomp). Throws `invalid` for an unusable profile file.
 */
export function seccompOf(context: LinuxContainerSecurityContext | undefined): SeccompFilter | undefined {
  const profile = context?.seccomp;
  if (profile === undefined || context?.privileged) return undefined;
  if (profile.profileType === ProfileType.Unconfined) return undefined;
  return profile.profileType === ProfileType.Localhost ? fromFile(profile.localhostRef) : RUNTIME_DEFAULT;
}

function fromFile(path: string): SeccompFilter {
  const { defaultAction, syscalls } = readProfile(path);
  // A rule with arguments leaves other calls of the same name to the default.
  const rules = syscalls.filter(({ args }) => !args?.length);
  const actions = new Map(rules.flatMap(({ names, action }) => names.map((name) => [name, action] as const)));
  return { forbids: (call) => !isAllowing(actions.get(call) ?? defaultAction) };
}

const isAllowing = (action: string): boolean => /^SCMP_ACT_(ALLOW|LOG)$/.test(action);

function readProfile(path: string): z.infer<typeof profileSchema> {
  try {
    return profileSchema.parse(readJsonFile(path));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw invalid(`seccomp profile ${JSON.stringify(path)} can't be used: ${reason}`, {
      name: 'seccomp-profile',
      path,
    });
  }
}
