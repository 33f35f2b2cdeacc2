import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock, Timer } from '../../base/clock/clock.js';
import { readTextFile } from '../../base/input/text-file.js';
import type { Pod } from '../kubernetes/pod.js';
import { type Manifest, type ManifestOptions, parseManifest } from './manifest.js';

const MOST_FILES = 1000;
/** Of all files. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Interval of checks for a missing directory, in ms (config/file_linux.go). */
const WATCH_RETRY = 1000;

export interface ManifestSourceOptions
  extends Pick<ManifestOptions, 'nodeName' | 'mayReferToApi' | 'isAdmitted'> {
  /** A directory of manifests, or one file. Files whose names start with a dot are ignored. */
  readonly path: string;
  readonly clock: Clock;
  /** fileCheckFrequency in ms: interval of reads without a reported change. */
  readonly period: number;
  /** Called with all current pods, and with their manifests by uid, after the first read and after each change. */
  readonly onPods: (pods: readonly Pod[], objects: Manifest['objects']) => void;
  /** Receives one line per unreadable file or field without effect; an unchanged problem is not repeated. */
  readonly onProblem: (line: string) => void;
}

export interface ManifestSource {
  /** Resolves when all files were read. */
  refresh(): Promise<void>;
  close(): void;
}

interface KnownFile {
  readonly text: string;
  readonly manifest: Manifest;
}

/**
 * The kubelet's file source (config/file.go): watches a directory and reads it periodically. A changed manifest is a
 * new pod with a new uid, unless it sets the uid. The pods of an unreadable file survive a reported change, and
 * disappear at the next periodic read. Resolves after the first read.
 */
export async function watchManifests(options: ManifestSourceOptions): Promise<ManifestSource> {
  const { clock, period } = options;
  const read = createReader(options);
  let closed = false;
  let reading: Promise<void> | undefined;
  let again = false;
  let isListing = false;

  const refresh = (): Promise<void> => {
    if (reading !== undefined) again = true;
    reading ??= readUntilQuiet().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const readUntilQuiet = async () => {
    do {
      again = false;
      const keep = !isListing;
      isListing = false;
      await read(keep);
    } while (again && !closed);
  };

  let timer: Timer | undefined;
  const tick = async () => {
    isListing = true;
    await refresh();
    if (!closed) timer = clock.setTimer(period, tick);
  };
  await clock.run(tick);

  let watcher: FSWatcher | undefined;
  let retry: Timer | undefined;
  const startWatch = () => {
    watcher = watchIfThere(options.path, () => void clock.run(refresh));
    if (watcher === undefined) retry = clock.setTimer(WATCH_RETRY, startWatch);
  };
  startWatch();
  return {
    refresh,
    close: () => {
      closed = true;
      timer?.cancel();
      retry?.cancel();
      watcher?.close();
    },
  };
}

/** Without a watcher (missing directory, or no watches left) only the periodic read finds changes. */
function watchIfThere(path: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, changed);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

function createReader({ path, clock, onPods, onProblem, ...given }: ManifestSourceOptions) {
  let known = new Map<string, KnownFile>();
  let problems = new Set<string>();
  let told: readonly Pod[] | undefined;

  return async (keep: boolean): Promise<void> => {
    const found = new Map<string, KnownFile>();
    const lines = new Set<string>();
    let bytes = 0;
    for (const file of await listFiles(path, lines)) {
      const before = known.get(file);
      const now = await readOne(file, before, { ...given, now: clock.now(), keep }, lines);
      bytes += now?.text.length ?? 0;
      if (bytes > MOST_BYTES) {
        lines.add(
          `${path}: the manifests have more than ${MOST_BYTES} bytes; ${file} and later ones are ignored`,
        );
        break;
      }
      if (now !== undefined) found.set(file, now);
    }
    known = found;
    const earlier = new Map(told?.map((pod) => [pod.metadata.uid, pod]));
    const pods = withoutDuplicates(found, lines).map((pod) => settle(earlier.get(pod.metadata.uid), pod));
    for (const line of lines) if (!problems.has(line)) onProblem(line);
    problems = lines;
    if (told?.length === pods.length && pods.every((pod, index) => pod === told?.[index])) return;
    told = pods;
    onPods(pods, new Map([...found.values()].flatMap(({ manifest }) => [...manifest.objects])));
  };
}

async function listFiles(path: string, problems: Set<string>): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.'));
    if (names.length > MOST_FILES)
      problems.add(`${path}: ${names.length} files; the first ${MOST_FILES} are read`);
    return names
      .map(({ name }) => join(path, name))
      .sort()
      .slice(0, MOST_FILES);
  } catch (error) {
    problems.add(`${path}: ${(error as Error).message}`);
    return [];
  }
}

async function readOne(
  file: string,
  before: KnownFile | undefined,
  { keep, ...options }: ManifestOptions & { readonly keep: boolean },
  problems: Set<string>,
): Promise<KnownFile | undefined> {
  try {
    // Fails with ENOENT if somebody has removed the file meanwhile, which is not reported.
    await stat(file);
    const text = readTextFile(file);
    const manifest =
      text === before?.text
        ? before.manifest
        : parseManifest(text, file, { ...options, path: resolve(file) });
    for (const warning of manifest.warnings) problems.add(warning);
    return { text, manifest };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    problems.add((error as Error).message);
    return keep ? before : undefined;
  }
}

const FIRST_SEEN = 'kubernetes.io/config.seen';

/** checkAndUpdatePod: a known pod keeps its creation time, and stays the same pod if nothing else changed. */
function settle(before: Pod | undefined, pod: Pod): Pod {
  if (before === undefined) return pod;
  const { creationTimestamp, annotations } = before.metadata;
  const seen = { ...pod.metadata.annotations, [FIRST_SEEN]: annotations[FIRST_SEEN] ?? '' };
  const settled = { ...pod, metadata: { ...pod.metadata, creationTimestamp, annotations: seen } };
  return isDeepStrictEqual(settled, before) ? before : settled;
}

/** If several pods have the same name or uid, the one in the last file wins, as in the kubelet's store. */
function withoutDuplicates(files: ReadonlyMap<string, KnownFile>, problems: Set<string>): Pod[] {
  const owners = new Map<string, string>();
  const pods: Pod[] = [];
  for (const [file, { manifest }] of [...files].reverse()) {
    for (const pod of manifest.pods.toReversed()) {
      const { namespace, name, uid } = pod.metadata;
      const other = owners.get(`${namespace}/${name}`) ?? owners.get(uid);
      if (other !== undefined) {
        problems.add(`${file}: pod ${namespace}/${name} is also in ${other}; this one is ignored`);
        continue;
      }
      owners.set(`${namespace}/${name}`, file).set(uid, file);
      pods.unshift(pod);
    }
  }
  return pods;
}
