import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../base/input/error-text.js';
import { LARGEST_FILE, readTextFile } from '../../base/input/text-file.js';
import { type CdiEdits, joinEdits } from './edits.js';
import { type CdiSpec, parseSpec } from './spec.js';

/** Files that are read, in order of name; the rest is ignored. */
export const MOST_FILES = 1000;
/** Maximum bytes of all files: real ones have some KiB each, and reading blocks all calls. */
const MOST_BYTES = 4 * 1024 * 1024;

export interface CdiDevices {
  /** Returns the changes to a container. Throws an error with containerd's text for an unknown device. */
  resolve(names: readonly string[]): Required<Omit<CdiEdits, 'intelRdt'>> & CdiEdits;
}

const TOO_MUCH = `the files of CDI devices have more than ${MOST_BYTES} bytes; those after the first ones are not read`;

interface Device {
  readonly spec: CdiSpec;
  readonly edits: CdiEdits;
  readonly priority: number;
}

interface ReadFile {
  readonly stamp: string;
  /** Undefined if it can't be used. */
  readonly spec: CdiSpec | undefined;
}

/**
 * Opens device directories; the last one has precedence. Drivers write files at any time, so each request checks them,
 * and reads the changed ones again. `warn` gets each unusable file once; the other files stay in use, as in containerd.
 * The existing files are read immediately.
 */
export function openDevices(directories: readonly string[], warn: (message: string) => void): CdiDevices {
  const known = new Map<string, ReadFile>();
  const told = new Set<string>();
  const tell = (message: string) => {
    if (told.size >= MOST_FILES || told.has(message)) return;
    told.add(message);
    warn(message);
  };
  const specOf = (file: string, room: { bytes: number }): CdiSpec | undefined => {
    const { mtimeMs, size, ino } = statSync(file);
    room.bytes -= Math.min(size, LARGEST_FILE);
    if (room.bytes < 0) throw new Error(TOO_MUCH);
    const stamp = `${mtimeMs} ${size} ${ino}`;
    const before = known.get(file);
    if (before?.stamp === stamp) return before.spec;
    const spec = attempt(() => parseSpec(readTextFile(file, '--cdi-spec-dir'), file), tell);
    known.set(file, { stamp, spec });
    return spec;
  };
  const read = () => {
    const all = directories.map((directory) => filesOf(directory, tell));
    const files = new Set(all.flat());
    for (const file of known.keys()) if (!files.has(file)) known.delete(file);
    const room = { bytes: MOST_BYTES };
    const specs = all.map((each) => each.flatMap((file) => attempt(() => specOf(file, room), tell) ?? []));
    return devicesOf(specs, tell);
  };
  read();
  return {
    resolve: (names) => {
      const devices = read();
      const missing = names.filter((name) => !devices.has(name));
      if (missing.length > 0) throw new Error(`unresolvable CDI devices ${missing.join(', ')}`);
      const specs = new Set<CdiSpec>();
      const edits = names.flatMap((name) => {
        const device = devices.get(name) as Device;
        const isFirst = !specs.has(device.spec);
        specs.add(device.spec);
        return isFirst ? [device.spec.edits, device.edits] : [device.edits];
      });
      return joinEdits(edits);
    },
  };
}

/** A device that two files of one directory define belongs to neither, as in the CDI cache. */
function devicesOf(specs: readonly (readonly CdiSpec[])[], tell: (message: string) => void) {
  const devices = new Map<string, Device>();
  const conflicts = new Set<string>();
  for (const [priority, ofDirectory] of specs.entries())
    for (const spec of ofDirectory)
      for (const [name, edits] of spec.devices) {
        const other = devices.get(name);
        if (other?.priority === priority) {
          conflicts.add(name);
          tell(`conflicting device "${name}" (specs "${other.spec.file}", "${spec.file}")`);
        }
        devices.set(name, { spec, edits, priority });
      }
  for (const name of conflicts) devices.delete(name);
  return devices;
}

/** A missing directory counts as empty: a driver may create it later. */
function filesOf(directory: string, tell: (message: string) => void): string[] {
  if (!existsSync(directory)) return [];
  const names = attempt(
    () => readdirSync(directory, { withFileTypes: true }),
    (message) => tell(`--cdi-spec-dir ${directory}: ${message}`),
  );
  const files = (names ?? [])
    .filter((entry) => !entry.isDirectory() && /\.(json|yaml)$/.test(entry.name))
    .map((entry) => join(directory, entry.name))
    .sort();
  if (files.length > MOST_FILES)
    tell(`--cdi-spec-dir ${directory}: ${files.length} files; the first ${MOST_FILES} are read`);
  return files.slice(0, MOST_FILES);
}

function attempt<T>(work: () => T, tell: (message: string) => void): T | undefined {
  try {
    return work();
  } catch (error) {
    tell(messageOf(error));
    return undefined;
  }
}

const PREFIX = 'cdi.k8s.io/';

export interface DeviceRequest {
  readonly annotations: Readonly<Record<string, string>>;
  readonly CDIDevices: readonly { readonly name: string }[];
}

/** The devices of a container's config, each once: its list, then the annotations of older kubelets. */
export function requestedDevices({ annotations, CDIDevices }: DeviceRequest): string[] {
  const annotated = Object.entries(annotations).filter(([key]) => key.startsWith(PREFIX));
  const names = annotated.flatMap(([, value]) => value.split(','));
  const malformed = names.find((name) => !/^[^/=]+\/[^/=]+=.+$/.test(name));
  if (malformed !== undefined)
    throw new Error(
      `failed to parse CDI device annotations: invalid CDI device name ${JSON.stringify(malformed)}`,
    );
  return [...new Set([...CDIDevices.map(({ name }) => name), ...names])];
}
