export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

export interface Group {
  readonly name: string;
  readonly gid: number;
  readonly members: readonly string[];
}

export interface AccountsOfImage {
  readonly accounts?: readonly Account[];
  readonly groups?: readonly Group[];
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

/** `/etc/group` in addition to the accounts' own groups. */
const EXTRA_GROUPS: readonly Group[] = [{ name: 'wheel', gid: 10, members: ['root'] }];

export const accountsOf = (image: AccountsOfImage | undefined): readonly Account[] => [
  ...accounts,
  ...(image?.accounts ?? []),
];
export const groupsOf = (image: AccountsOfImage | undefined): readonly Group[] => [
  ...accountsOf(image).map(({ name, gid }) => ({ name, gid, members: [] })),
  ...EXTRA_GROUPS,
  ...(image?.groups ?? []),
];

/** Without an image, has the accounts of every image. */
export const passwdFile = (image?: AccountsOfImage): string =>
  accountsOf(image)
    .map(({ name, uid, gid, home }) => `${name}:x:${uid}:${gid}:${name}:${home}:/bin/sh\n`)
    .join('');

export const groupFile = (image?: AccountsOfImage): string =>
  groupsOf(image)
    .map(({ name, gid, members }) => `${name}:x:${gid}:${members.join(',')}\n`)
    .join('');

/** Undefined if no account has it. */
export const nameOf = (uid: number): string | undefined =>
  accounts.find((account) => account.uid === uid)?.name;
/** Undefined if no group of every image has it. */
export const groupNameOf = (gid: number): string | undefined =>
  groupsOf(undefined).find((group) => group.gid === gid)?.name;
/** `/` for a uid without an account. */
export const homeOf = (uid: number): string => accounts.find((account) => account.uid === uid)?.home ?? '/';
