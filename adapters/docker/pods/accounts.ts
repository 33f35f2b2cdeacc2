import type Dockerode from 'dockerode';
import { invalid } from '../../../src/cri/errors.js';
import type {
  ContainerConfig,
  ContainerUser,
  PodSandboxConfig,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { unlessMissing } from '../errors.js';
import { type Probing, withProbe } from '../images/probe.js';

export const formatStatusUser = ({ linux }: ContainerUser): string =>
  linux === undefined ? '' : `${linux.uid}:${linux.gid}:${linux.supplementalGroups.join(',')}`;

/** Never throws: uses root's values for missing parts. */
export function parseStatusUser(text: string): ContainerUser {
  const [uid = '0', gid = '0', groups = ''] = text.split(':');
  const supplementalGroups = groups.split(',').filter(Boolean).map(BigInt);
  return { linux: { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups } };
}

export interface Accounts {
  readonly users: readonly { readonly name: string; readonly uid: number; readonly gid: number }[];
  readonly groups: readonly {
    readonly name: string;
    readonly gid: number;
    readonly members: readonly string[];
  }[];
}

export interface ResolvedUser {
  readonly docker: string;
  readonly status: ContainerUser;
}

/** Reads them from a container of the image, which is created for this and never started. */
export function readAccounts(context: Probing, imageId: string): Promise<Accounts> {
  return withProbe(context, { Image: imageId, Cmd: ['-'] }, async (probe) => {
    const [passwd, group] = await Promise.all(
      ['/etc/passwd', '/etc/group'].map((path) => readFile(probe, path)),
    );
    return parseAccounts(passwd ?? '', group ?? '');
  });
}

/** A missing file counts as empty: images without accounts are common. */
async function readFile(container: Dockerode.Container, path: string): Promise<string> {
  const archive = await unlessMissing(container.getArchive({ path }));
  if (archive === undefined) return '';
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return firstFile(Buffer.concat(chunks));
}

const BLOCK = 512;
const SIZE = { at: 124, length: 12 };

function firstFile(tar: Buffer): string {
  const size = Number.parseInt(tar.toString('latin1', SIZE.at, SIZE.at + SIZE.length).replace(/\0.*/, ''), 8);
  return Number.isNaN(size) ? '' : tar.toString('utf8', BLOCK, BLOCK + size);
}

/** Ignores lines with fewer than four fields. */
export function parseAccounts(passwd: string, group: string): Accounts {
  const fields = (text: string) =>
    text
      .split('\n')
      .map((line) => line.split(':'))
      .filter((parts) => parts.length >= 4);
  return {
    users: fields(passwd).map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) })),
    groups: fields(group).map(([name = '', , gid, members = '']) => ({
      name,
      gid: Number(gid),
      members: members.split(',').filter(Boolean),
    })),
  };
}

/** The user of the security context, otherwise of the image, otherwise root. Throws `invalid` for an unknown name. */
export function resolveUser(
  config: ContainerConfig,
  pod: PodSandboxConfig,
  imageUser: string,
  accounts: Accounts,
): ResolvedUser {
  const context = config.linux?.securityContext;
  const wanted = context?.runAsUsername || context?.runAsUser?.value.toString() || '';
  const [user = '', ofImage] = (wanted || imageUser).split(':');
  const account = findUser(user, accounts);
  const uid = account?.uid ?? Number(user || 0);
  const gid = Number(context?.runAsGroup?.value ?? findGroup(ofImage, accounts) ?? account?.gid ?? 0);
  const memberships = accounts.groups
    .filter(({ members }) => account !== undefined && members.includes(account.name))
    .map((group) => group.gid);
  const given = [
    ...(context?.supplementalGroups ?? []),
    ...(pod.linux?.securityContext?.supplementalGroups ?? []),
  ].map(Number);
  const supplementalGroups = [...new Set([gid, ...memberships, ...given])].map(BigInt);
  const docker = wanted === '' ? '' : context?.runAsGroup === undefined ? user : `${user}:${gid}`;
  return { docker, status: { linux: { uid: BigInt(uid), gid: BigInt(gid), supplementalGroups } } };
}

function findUser(user: string, { users }: Accounts) {
  if (user === '') return users.find(({ uid }) => uid === 0);
  if (/^\d+$/.test(user)) return users.find(({ uid }) => uid === Number(user));
  const named = users.find(({ name }) => name === user);
  if (named !== undefined) return named;
  const known = users.map(({ name }) => name).join(', ') || 'none';
  throw invalid(`no user "${user}" in the image's /etc/passwd; there are: ${known}`);
}

function findGroup(group: string | undefined, { groups }: Accounts): number | undefined {
  if (group === undefined || group === '') return undefined;
  return /^\d+$/.test(group) ? Number(group) : groups.find(({ name }) => name === group)?.gid;
}
