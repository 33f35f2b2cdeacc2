import { posix } from 'node:path';
import {
  type KubeletFiles,
  noFiles,
  type VolumeFile,
  type VolumeOwner,
} from '../../../src/kubelet/disk/files.js';
import { logMessage } from '../../../src/kubelet/disk/log-files.js';
import { attemptAfter, MAX_MESSAGE, volumeNames } from '../../../src/kubelet/disk/node-files.js';
import { demandPath, stampOf } from '../../../src/kubelet/disk/payloads.js';
import { demandSubPath } from '../../../src/kubelet/disk/sub-paths.js';
import type { Volume } from '../../../src/kubelet/kubernetes/volumes.js';
import type { MemoryDisk } from '../../../src/linux/fs/memory-disk.js';
import type { NewNode } from '../../../src/linux/fs/vnode.js';

/** kubeadm's directory. */
const PODS = '/var/lib/kubelet/pods';
const CLAIMS = '/var/lib/kubelet/claims';

const directory = (mode: number, gid = 0): NewNode => ({ kind: 'directory', mode, uid: 0, gid });
const file = (mode: number): NewNode => ({ kind: 'file', mode, uid: 0, gid: 0 });

/** The kubelet's files on an in-memory disk that containers of the node mount. */
export function createMemoryFiles(disk: MemoryDisk): KubeletFiles {
  const written = new Map<string, ReadonlyMap<string, VolumeFile>>();
  let messages = 0;
  let payloads = 0;
  const readTail = async (path: string, length: number): Promise<string> => {
    const open = await disk.files.open(path, 'r');
    const { size } = await open.stat();
    return (await open.read(length, Math.max(0, size - length))).toString();
  };
  const removeVolumes = async (uid: string): Promise<void> => {
    for (const path of written.keys()) if (path.startsWith(`${PODS}/${uid}/`)) written.delete(path);
    await disk.remove(`${PODS}/${uid}/volumes`);
  };
  return {
    ...noFiles,
    nextAttempt: async (logDirectory, container) =>
      attemptAfter(await disk.files.readdir(`${logDirectory}/${container}`).catch(() => [])),
    newTerminationLog: async (uid, container) => {
      const name = (messages++).toString(16).padStart(8, '0');
      // The container's user writes to it (kubelet_pods.go, makeMounts).
      const { path } = await disk.make(`${PODS}/${uid}/containers/${container}/${name}`, file(0o666));
      return path;
    },
    writeHosts: async (uid, text) => {
      const path = `${PODS}/${uid}/etc-hosts`;
      await disk.find(posix.dirname(path));
      await disk.files.writeFile(path, Buffer.from(text), { mode: 0o644 });
      return path;
    },
    nodeHosts: async () => (await disk.files.readFile('/etc/hosts').catch(() => '')).toString(),
    terminationMessage: (path) => readTail(path, MAX_MESSAGE).catch(() => ''),
    logTail: async (path) => logMessage(await readTail(path, MAX_MESSAGE).catch(() => '')),
    volume: async (owner, volume) => (await makeVolume(disk, owner, volume)).path,
    writeVolume: async (owner, volume, files, now) => {
      const { path } = await makeVolume(disk, owner, volume);
      if (isSame(written.get(path), files)) return;
      for (const name of files.keys()) demandPath(name);
      const name = `..${stampOf(now)}.${String(payloads++).padStart(6, '0')}`;
      await replace(await disk.below(path), files, name, owner.fsGroup);
      written.set(path, files);
    },
    // As on a host (sub-paths.ts), a file gets a second name: the mount keeps it when the volume has another one.
    subPath: async ({ uid, volume, container, index, hostPath, path }) => {
      demandSubPath(path);
      const found = await (await disk.below(hostPath)).find(`/${path}`);
      const whole = posix.join(hostPath, found.path);
      if ((await found.node()).kind === 'directory') return whole;
      const own = `${PODS}/${uid}/volume-subpaths/${volume}/${container}`;
      await disk.find(own);
      await disk.remove(`${own}/${index}`);
      await disk.files.link(whole, `${own}/${index}`);
      return `${own}/${index}`;
    },
    usage: (uid, volume) => disk.usage(volumePath(uid, volume)),
    logUsage: (pod, container) => disk.usage(`${noFiles.podLogDirectory(pod)}/${container}`),
    removeLogs: (path) => disk.remove(path),
    removeVolumes,
    removePod: async (pod) => {
      await removeVolumes(pod.uid);
      await disk.remove(`${PODS}/${pod.uid}`);
      await disk.remove(noFiles.podLogDirectory(pod));
    },
  };
}

const volumePath = (uid: string, volume: Volume): string =>
  `/var/lib/kubelet/${volumeNames(uid, volume).join('/')}`;

async function makeVolume(disk: MemoryDisk, { uid, namespace, fsGroup }: VolumeOwner, volume: Volume) {
  const { hostPath, persistentVolumeClaim: claim } = volume;
  if (hostPath !== undefined) return disk.make(hostPath.path, HOST_PATHS[hostPath.type ?? ''] ?? UNKNOWN);
  // Like SetVolumeOwnership: new files get the group, too.
  const own = fsGroup === undefined ? directory(0o777) : directory(0o2777, fsGroup);
  if (claim !== undefined) {
    const place = await disk.make(`${CLAIMS}/${namespace}/${claim.claimName}`, own);
    // As on a new ext4 file system.
    await disk.make(`${place.path}/lost+found`, directory(0o700));
    return place;
  }
  return disk.make(volumePath(uid, volume), own);
}

/** Its owner is unknown, so every user can write there. */
const UNKNOWN = directory(0o777);

/** Contents of the node, as the pod expects them (v1.HostPathType). */
const HOST_PATHS: Readonly<Record<string, NewNode>> = {
  DirectoryOrCreate: directory(0o755),
  FileOrCreate: file(0o644),
  File: file(0o644),
  Socket: file(0o666),
  CharDevice: file(0o666),
  BlockDevice: file(0o660),
};

function isSame(
  before: ReadonlyMap<string, VolumeFile> | undefined,
  now: ReadonlyMap<string, VolumeFile>,
): boolean {
  if (before?.size !== now.size) return false;
  return [...now].every(([path, { content, mode }]) => {
    const other = before.get(path);
    return other?.mode === mode && other.content.equals(content);
  });
}

/** Like util/atomic_writer.go; payloads.ts does it on this machine's disk. */
async function replace(
  volume: MemoryDisk,
  given: ReadonlyMap<string, VolumeFile>,
  directory: string,
  group: number | undefined,
): Promise<void> {
  const { files } = volume;
  const before = await files.readdir('/');
  await volume.find(`/${directory}`);
  for (const [path, { content, mode }] of given) {
    const place = `/${directory}/${path}`;
    await volume.find(posix.dirname(place));
    await files.writeFile(place, content);
    if (group !== undefined) await files.chown(place, 0, group);
    await files.chmod(place, group === undefined ? mode : mode | 0o440);
  }
  await files.symlink(directory, '/..data_tmp');
  await files.rename('/..data_tmp', '/..data');
  const shown = new Set([...given.keys()].map((path) => path.split('/')[0] as string));
  for (const name of before) if (name !== '..data') await volume.remove(`/${name}`);
  for (const name of shown) await files.symlink(`..data/${name}`, `/${name}`);
}
