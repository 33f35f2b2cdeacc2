import { posix } from 'node:path';
import { NODE } from '../../base/clock/network/loopback.js';
import type { Account } from '../../base/input/account.js';
import type { Random } from '../../base/random/random.js';
import { type CgroupSource, createCgroup, createSys } from './cgroup.js';
import type { ContainerFsOptions } from './container-fs-options.js';
import { createDevices, devWith } from './dev.js';
import { etcFiles } from './etc-files.js';
import { FileError } from './file-error.js';
import type { IdMapping, MountConfig } from './files-config.js';
import { GeneratedDirectory } from './generated.js';
import { directory, file, lookupImage } from './image-tree.js';
import { Layer } from './layer/layer.js';
import type { Place } from './node-disk.js';
import { createProc } from './proc.js';
import type { ProcSource } from './proc-source.js';
import { ROOT, type Vnode } from './vnode.js';
import { type Mount, MountTable, Walker } from './walker.js';

type What = Omit<Mount, 'path'>;

/** Mounts everything in the order of runc: the root, every container's mounts, the config's mounts, hidden paths. */
export async function mountAll(
  options: ContainerFsOptions,
  { layer, shm }: { readonly layer: Layer; readonly shm: Layer },
  account: Account,
  random: Random,
): Promise<Walker> {
  const { root, view, createdAt: startedAt } = options;
  const config = options.config();
  const isReadonly = config.isRootReadonly;
  const mounts = new MountTable();
  const rootMount = usual('overlay', layer.open(root), 'overlay', isReadonly);
  const walker = new Walker(rootMount, mounts);
  const mount = (path: string, what: What) => addMount(walker, mounts, path, what);

  const source: ProcSource & CgroupSource = {
    now: () => options.clock.now(),
    startedAt,
    view,
    random: () => random.next(),
    resources: options.resources,
    sockets: () => options.clock.loopback.socketsOf(view().ips[0] ?? NODE),
    idMaps: { uids: idMap(config.idMappings.uids), gids: idMap(config.idMappings.gids) },
  };
  await mount('/proc', usual('proc', createProc(source), 'proc', false));
  const devices = createDevices(options.clock, random);
  const dev = new Layer(layer.now, TMPFS_LIMITS, account, devices).open(
    devWith(config.devices, TMPFS_LIMITS.files),
  );
  await mount('/dev', usual('tmpfs', dev, 'tmpfs', false));
  await mount('/sys', usual('sysfs', createSys(startedAt), 'sysfs', !config.isPrivileged));
  await mount('/sys/fs/cgroup', usual('cgroup', createCgroup(source), 'cgroup2', !config.isPrivileged));
  await mount('/dev/shm', usual('shm', shm.open(SHM), 'tmpfs', false));

  const own = new Layer(layer.now, TMPFS_LIMITS, account);
  const { hostname, ips } = view();
  for (const [path, text] of Object.entries(etcFiles(config.dns, hostname, ips))) {
    await mount(path, usual('tmpfs', own.adopt(file(text)), 'tmpfs', isReadonly));
  }
  // Parents before the mounts in them, as containerd sorts them.
  const given = [...config.mounts].sort((one, other) => depth(one) - depth(other));
  for (const one of given) {
    if (one.image !== undefined && one.image.image !== '')
      await mount(one.containerPath, imageMount(one.image.image, one.imageSubPath, options, layer));
    else await mountHost(one, options.hostPlace, mount);
  }
  await hide(walker, mounts, config.maskedPaths, config.readonlyPaths, startedAt);
  return walker;
}

const depth = ({ containerPath }: MountConfig): number => posix.normalize(containerPath).split('/').length;

const usual = (source: string, node: Vnode, type: string, isReadonly: boolean): Mount => ({
  path: '/',
  node,
  isReadonly,
  hasPermissions: true,
  type,
  source,
});

/** Limits of runc's /dev and containerd's /dev/shm. */
export const TMPFS_LIMITS = { bytes: 64 * 1024 * 1024, files: 100_000 };

const SHM = directory({}, 0o1777);

function imageMount(image: string, subPath: string, { imageRoot }: ContainerFsOptions, layer: Layer): What {
  const root = imageRoot(image);
  const below = root && lookupImage(root, subPath);
  if (below === undefined) throw new FileError('ENOENT');
  return usual('overlay', layer.adopt(below), 'overlay', true);
}

/** The mount is read-only, but not host mounts below it (cri-api Mount.recursive_read_only). */
async function mountHost(
  { hostPath, containerPath, readonly, recursiveReadOnly }: MountConfig,
  hostPlace: ContainerFsOptions['hostPlace'],
  mount: (path: string, what: What) => Promise<void>,
): Promise<void> {
  const place = await hostPlace(hostPath, !readonly);
  await mount(containerPath, await hostMount(place, readonly));
  if (!readonly || recursiveReadOnly) return;
  for (const below of await place.mountsBelow()) {
    const found = await hostPlace(posix.join(place.path, below), true)
      .then((one) => hostMount(one, false))
      .catch(() => undefined);
    if (found) await mount(posix.join(containerPath, below), found);
  }
}

const hostMount = async (place: Place, isReadonly: boolean): Promise<What> => ({
  node: await place.node(),
  isReadonly,
  hasPermissions: place.hasPermissions,
  type: 'ext4',
  source: '/dev/mockri',
});

/** Mounts at a path in the container's view. The mount appears in its directory; only missing parents are created. */
async function addMount(walker: Walker, mounts: MountTable, path: string, what: What): Promise<void> {
  const point = await mountPoint(walker, path);
  mounts.set(point, { ...what, path: point });
}

async function mountPoint(walker: Walker, path: string): Promise<string> {
  const { dir, name, place } = await walkTo(walker, path);
  return place?.path ?? posix.join(dir.path, name);
}

/** Creates parents too; in a read-only volume it fails, and the container does not start. */
export async function makeDirectory(walker: Walker, path: string): Promise<void> {
  const { dir, name, place } = await walkTo(walker, path);
  if (!place) await dir.node.make(name, { kind: 'directory', mode: 0o755, uid: 0, gid: 0 });
}

const walkTo = (walker: Walker, path: string) =>
  walker.walk(path, ROOT, 'always').catch(async (error: unknown) => {
    if (!(error instanceof FileError) || error.code !== 'ENOENT') throw error;
    await makeDirectory(walker, posix.dirname(path));
    return walker.walk(path, ROOT, 'always');
  });

/** runc binds /dev/null or an empty directory over masked paths, and read-only paths over themselves. */
async function hide(
  walker: Walker,
  mounts: MountTable,
  masked: readonly string[],
  readonly: readonly string[],
  startedAt: bigint,
): Promise<void> {
  const find = async (path: string) =>
    walker.walk(path, ROOT, 'always').then(
      ({ place }) => place,
      () => undefined,
    );
  const nothing = new GeneratedDirectory(() => ({}), startedAt);
  const devNull = (await find('/dev/null'))?.node;
  for (const path of readonly) {
    const place = await find(path);
    if (place)
      mounts.set(place.path, { ...place.mount, path: place.path, node: place.node, isReadonly: true });
  }
  for (const path of masked) {
    const place = await find(path);
    const isDirectory = place?.node.kind === 'directory';
    const node = isDirectory ? nothing : devNull;
    if (place && node) mounts.set(place.path, { ...usual('tmpfs', node, 'tmpfs', true), path: place.path });
  }
}

const WHOLE_RANGE: readonly IdMapping[] = [{ containerId: 0, hostId: 0, length: 4_294_967_295 }];

const idMap = (given: readonly IdMapping[]): string =>
  (given.length > 0 ? given : WHOLE_RANGE)
    .map(({ containerId, hostId, length }) => [containerId, hostId, length])
    .map((row) => `${row.map((number) => String(number).padStart(10)).join(' ')}\n`)
    .join('');
