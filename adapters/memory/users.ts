import { invalid } from '../../src/cri/errors.js';
import {
  type ContainerConfig,
  type ContainerUser,
  type LinuxContainerSecurityContext,
  type PodSandboxConfig,
  SupplementalGroupsPolicy,
} from '../../src/cri/gen/runtime/v1/api.js';
import type { ProcessUser } from '../../src/linux/process/process.js';
import type { ImageContent } from './images/catalog.js';

/** A line of /etc/passwd. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A line of /etc/group. */
export interface Group {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

/** `/etc/passwd` of every simulated image. */
export const accounts: readonly Account[] = [
  { name: 'root', uid: 0, gid: 0, home: '/root' },
  { name: 'daemon', uid: 1, gid: 1, home: '/usr/sbin' },
  { name: 'bin', uid: 2, gid: 2, home: '/bin' },
  { name: 'www-data', uid: 33, gid: 33, home: '/var/www' },
  { name: 'operator', uid: 37, gid: 37, home: '/var' },
  { name: 'nobody', uid: 65_534, gid: 65_534, home: '/home' },
];

/** `/etc/group` beyond the accounts' own groups: name, gid and members. */
const EXTRA_GROUPS: readonly Group[] = [{ name: 'wheel', gid: 10, members: ['root'] }];

const accountsOf = (image: ImageContent | undefined): readonly Account[] => [
  ...accounts,
  ...(image?.accounts ?? []),
];
const groupsOf = (image: ImageContent | undefined): readonly Group[] => [
  ...accountsOf(image).map(({ name, gid }) => ({ name, gid, members: [] })),
  ...EXTRA_GROUPS,
  ...(image?.groups ?? []),
];

/** The text of an image's /etc/passwd; without an image, the accounts that all have. */
export const passwdFile = (image?: ImageContent): string =>
  accountsOf(image)
    .map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/sh\n`)
    .join('');

/** The text of an image's /etc/group; see `passwdFile`. */
export const groupFile = (image?: ImageContent): string =>
  groupsOf(image)
    .map(({ name, gid, members }) => `${name}:x:${gid}:${members.join(',')}\n`)
    .join('');

/** The name of a uid or a gid; undefined if nobody has it. */
export const nameOf = (uid: number): string | undefined =>
  accounts.find((account) => account.uid === uid)?.name;
/** Undefined if no group that all images have has it. */
export const groupNameOf = (gid: number): string | undefined =>
  groupsOf(undefined).find((group) => group.gid === gid)?.name;
/** `/` for a uid without an account. */
export const homeOf = (uid: number): string => accounts.find((account) => account.uid === uid)?.home ?? '/';

/**
 * Who a container's processes run as: its security context, else the image's user, else root. Throws `invalid` for
 * a name that the image doesn't have (cri-api LinuxContainerSecurityContext.run_as_username).
 */
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
  // The kernel keeps groups in the order of their numbers (kernel/groups.c, groups_sort).
  const others = [...memberships(account.name, context, pod, image), ...given].sort((a, b) => a - b);
  return { uid: account.uid, gid, name: account.name, groups: [...new Set([gid, ...others])] };
}

/** The groups that the image puts a user in, unless the policy is Strict (cri-api SupplementalGroupsPolicy). */
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

/** The user as ContainerStatus reports it. */
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
  throw invalid(`no user ${JSON.stringify(wanted)} in the image's /etc/passwd; there are: ${names}`);
}
