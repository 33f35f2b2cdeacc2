import { invalid } from '../../src/cri/errors.js';
import type { ContainerConfig, ContainerUser, PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import type { ImageContent } from './images/catalog.js';
import type { ProcessUser } from './process/process.js';

interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
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
const EXTRA_GROUPS = [{ name: 'wheel', gid: 10, members: ['root'] }] as const;

export const passwdFile = (): string =>
  accounts.map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/sh\n`).join('');

export const groupFile = (): string =>
  [
    ...accounts.map(({ name, gid }) => `${name}:x:${gid}:\n`),
    ...EXTRA_GROUPS.map((group) => `${group.name}:x:${group.gid}:${group.members.join(',')}\n`),
  ].join('');

/** The name of a uid or a gid; undefined if nobody has it. */
export const nameOf = (uid: number): string | undefined =>
  accounts.find((account) => account.uid === uid)?.name;
export const homeOf = (uid: number): string => accounts.find((account) => account.uid === uid)?.home ?? '/';
export const groupNameOf = (gid: number): string | undefined =>
  [...accounts, ...EXTRA_GROUPS].find((group) => group.gid === gid)?.name;

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
  const account = find(wanted);
  const gid = context?.runAsGroup ? Number(context.runAsGroup.value) : (account.gid ?? image?.gid ?? 0);
  const podGroups = pod?.linux?.securityContext?.supplementalGroups ?? [];
  const given = [...(context?.supplementalGroups ?? []), ...podGroups].map(Number);
  const memberships = EXTRA_GROUPS.filter(({ members }) =>
    (members as readonly string[]).includes(account.name),
  ).map((group) => group.gid);
  return { uid: account.uid, gid, name: account.name, groups: [...new Set([gid, ...memberships, ...given])] };
}

/** The user as ContainerStatus reports it. */
export function describeUser({ uid, gid, groups }: ProcessUser): ContainerUser {
  return { linux: { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups: groups.map(BigInt) } };
}

const imageUser = (image: ImageContent | undefined): string => image?.username ?? String(image?.uid ?? 0);

function find(wanted: string): {
  readonly name: string;
  readonly uid: number;
  readonly gid: number | undefined;
} {
  const known = accounts.find(({ name, uid }) => name === wanted || String(uid) === wanted);
  if (known) return known;
  if (/^\d+$/.test(wanted)) return { name: '', uid: Number(wanted), gid: undefined };
  const names = accounts.map((account) => account.name).join(', ');
  throw invalid(`no user ${JSON.stringify(wanted)} in the image's /etc/passwd; there are: ${names}`);
}
