import { invalid } from '../../../src/cri/errors.js';
import {
  type ContainerConfig,
  type ContainerUser,
  type LinuxContainerSecurityContext,
  type PodSandboxConfig,
  SupplementalGroupsPolicy,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { accountsOf, groupsOf } from '../../../src/linux/accounts.js';
import type { ImageContent } from '../../../src/linux/fs/image-content.js';
import type { ProcessUser } from '../../../src/linux/process/process.js';

/** The user of the security context, otherwise of the image, otherwise root. Throws `invalid` for an unknown name. */
export function resolveUser(
  config: ContainerConfig,
  pod: PodSandboxConfig | undefined,
  image: ImageContent | undefined,
): ProcessUser {
  const context = config.linux?.securityContext;
  const wanted =
    context?.runAsUsername || (context?.runAsUser ? String(context.runAsUser.value) : '') || imageUser(image);
  const account = find(wanted, image);
  const gid = context?.runAsGroup ? Number(context.runAsGroup.value) : (account.gid ?? image?.gid ?? 0);
  const podGroups = pod?.linux?.securityContext?.supplementalGroups ?? [];
  const given = [...(context?.supplementalGroups ?? []), ...podGroups].map(Number);
  // The kernel sorts groups by number (kernel/groups.c, groups_sort).
  const others = [...memberships(account.name, context, pod, image), ...given].sort((a, b) => a - b);
  return { uid: account.uid, gid, name: account.name, groups: [...new Set([gid, ...others])] };
}

/** The image's groups of a user, unless the policy is Strict (cri-api SupplementalGroupsPolicy). */
function memberships(
  name: string,
  context: LinuxContainerSecurityContext | undefined,
  pod: PodSandboxConfig | undefined,
  image: ImageContent | undefined,
): readonly number[] {
  const podPolicy = pod?.linux?.securityContext?.supplementalGroupsPolicy;
  const policies = [context?.supplementalGroupsPolicy, podPolicy];
  if (policies.includes(SupplementalGroupsPolicy.Strict)) return [];
  return groupsOf(image)
    .filter(({ members }) => members.includes(name))
    .map(({ gid }) => gid);
}

export function describeUser({ uid, gid, groups }: ProcessUser): ContainerUser {
  return { linux: { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups: groups.map(BigInt) } };
}

const imageUser = (image: ImageContent | undefined): string => image?.username ?? String(image?.uid ?? 0);

function find(
  wanted: string,
  image: ImageContent | undefined,
): {
  readonly name: string;
  readonly uid: number;
  readonly gid: number | undefined;
} {
  const all = accountsOf(image);
  const known = all.find(({ name, uid }) => name === wanted || String(uid) === wanted);
  if (known) return known;
  if (/^\d+$/.test(wanted)) return { name: '', uid: Number(wanted), gid: undefined };
  const names = all.map((account) => account.name).join(', ');
  throw invalid(`no user ${JSON.stringify(wanted)} in the image's /etc/passwd; there are: ${names}`, {
    name: 'unknown-user',
  });
}
