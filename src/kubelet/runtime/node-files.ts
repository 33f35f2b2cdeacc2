import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { makeDirectory } from '../../input/make-directory.js';
import type { KubeletFiles, LegacyLink } from './files.js';
import { createPayloads, insideOf } from './payloads.js';

/** Maximum length of a termination message (kubelet container/runtime.go). */
const MAX_MESSAGE = 4096;
const MAX_LOG_MESSAGE = 2048;
const MAX_LOG_LINES = 80;
/** Limit of most file systems. */
const MAX_FILE_NAME = 255;

/** Directories of a kubelet with real files. */
export interface NodeFilesOptions {
  /** The kubelet's own directory; the kubelet's default is /var/lib/kubelet. */
  readonly rootDir: string;
  /** Container logs; the kubelet's default is /var/log/pods. */
  readonly podLogsDir: string;
  /** Legacy links to the logs, /var/log/containers in the kubelet; no links when undefined. */
  readonly legacyLogsDir?: string | undefined;
}

/**
 * The kubelet's files on this machine. Pod and container names are validated before, so that no path leaves the
 * directories.
 */
export function createNodeFiles({ rootDir, podLogsDir, legacyLogsDir }: NodeFilesOptions): KubeletFiles {
  const linkPath = (directory: string, { pod, namespace, container, containerId }: LegacyLink) =>
    join(directory, `${`${pod}_${namespace}_${container}-${containerId}`.slice(0, MAX_FILE_NAME - 4)}.log`);
  const volumeDirectory = (uid: string, volume: string) =>
    join(rootDir, 'pods', uid, 'volumes', 'kubernetes.io~empty-dir', volume);
  const podLogDirectory: KubeletFiles['podLogDirectory'] = ({ namespace, name, uid }) =>
    join(podLogsDir, `${namespace}_${name}_${uid}`);

  const payloads = createPayloads(volumeDirectory);

  return {
    keepsLogs: true,
    podLogDirectory,
    nextAttempt: async (logDirectory, container) => {
      const directory = join(logDirectory, container);
      await makeDirectory(directory);
      const attempts = (await readdir(directory)).flatMap(
        (file) => /^(\d+)\.log(\..*)?$/.exec(file)?.[1] ?? [],
      );
      return attempts.length === 0 ? 0 : Math.max(...attempts.map(Number)) + 1;
    },
    newTerminationLog: async (uid, container) => {
      const directory = join(rootDir, 'pods', uid, 'containers', container);
      await makeDirectory(directory);
      const file = join(directory, randomBytes(4).toString('hex'));
      await writeFile(file, '', { mode: 0o666 });
      return file;
    },
    writeHosts: async (uid, text) => {
      const directory = join(rootDir, 'pods', uid);
      await makeDirectory(directory);
      const file = join(directory, 'etc-hosts');
      await writeFile(file, text, { mode: 0o644 });
      return file;
    },
    nodeHosts: () => readFile('/etc/hosts', 'utf8').catch(() => ''),
    terminationMessage: (hostPath) => tail(hostPath, MAX_MESSAGE),
    logTail: async (logPath) => {
      const text = await tail(logPath, MAX_LOG_MESSAGE * 4);
      const lines = text.split('\n').filter((line) => line !== '');
      return lines.slice(-MAX_LOG_LINES).map(textOf).join('').slice(-MAX_LOG_MESSAGE);
    },
    emptyDir: async (uid, volume) => {
      const directory = volumeDirectory(uid, volume);
      await makeDirectory(directory);
      return directory;
    },
    writeVolume: payloads.write,
    subPath: async (hostPath, path) => {
      const inside = insideOf(hostPath, path);
      const isThere = await stat(inside).then(
        () => true,
        () => false,
      );
      if (!isThere) await makeDirectory(inside);
      return inside;
    },
    linkLog: async (link) => {
      if (legacyLogsDir === undefined) return;
      const isMissing = await stat(link.logPath).then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
      if (isMissing) return;
      await makeDirectory(legacyLogsDir);
      await symlink(link.logPath, linkPath(legacyLogsDir, link)).catch(() => {});
    },
    removeLogs: async (logPath, link) => {
      if (logPath !== '') {
        for (const file of await rotatedFiles(logPath)) await rm(file, { force: true });
        await rm(logPath, { force: true });
      }
      if (legacyLogsDir !== undefined) await rm(linkPath(legacyLogsDir, link), { force: true });
    },
    removePod: async (pod) => {
      // The names of a pod that only the runtime knows are not validated.
      if (Object.values(pod).some((part) => /^\.*$|\//.test(part))) return;
      payloads.forget(pod.uid);
      await rm(join(rootDir, 'pods', pod.uid), { recursive: true, force: true });
      await rm(podLogDirectory(pod), { recursive: true, force: true });
    },
    logSize: async (logPath) => {
      const found = await stat(logPath).catch(() => undefined);
      return found?.size;
    },
    rotate: async (logPath, stamp) => {
      const rotated = `${logPath}.${stamp}`;
      await rename(logPath, rotated);
      return () => rename(rotated, logPath);
    },
    compressRotated,
  };
}

/** The last rotated file stays uncompressed: the runtime may still write to it. */
async function compressRotated(logPath: string, keep: number): Promise<void> {
  const files = (await rotatedFiles(logPath)).sort();
  const extra = Math.max(0, files.length - keep);
  for (const file of files.slice(0, extra)) await rm(file, { force: true });
  for (const file of files.slice(extra, -1)) {
    if (file.endsWith('.gz')) continue;
    await pipeline(createReadStream(file), createGzip(), createWriteStream(`${file}.gz`));
    await rm(file, { force: true });
  }
}

async function rotatedFiles(logPath: string): Promise<string[]> {
  const directory = dirname(logPath);
  const prefix = `${basename(logPath)}.`;
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(directory, name));
}

async function tail(file: string, bytes: number): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, bytes);
    const buffer = Buffer.alloc(length);
    await handle.read(buffer, 0, length, size - length);
    return buffer.toString();
  } finally {
    await handle.close();
  }
}

/** What a line of a CRI log adds to the text: P is a piece of a line. */
function textOf(line: string): string {
  const [, , tag, ...words] = line.split(' ');
  return `${words.join(' ')}${tag === 'P' ? '' : '\n'}`;
}
