import { z } from 'zod';
import { InputError, readYaml } from '../../base/input/yaml.js';
import { type CdiEdits, hookNames } from './edits.js';
import { neededVersion, versions } from './version.js';

const text = z.string().min(1, 'expected a text that is not empty');
const id = z.int().min(0).max(0xffff_ffff);
const texts = z.array(z.string());
const annotations = z.record(z.string(), z.string()).optional();

const deviceNode = z.strictObject({
  path: text,
  hostPath: z.string().optional(),
  type: z.enum(['b', 'c', 'u', 'p', '']).optional(),
  major: z.int().min(0).optional(),
  minor: z.int().min(0).optional(),
  fileMode: z.int().min(0).max(0o7777).optional(),
  permissions: z
    .string()
    .regex(/^[rwm]*$/, 'expected some of the letters r, w and m')
    .optional(),
  uid: id.optional(),
  gid: id.optional(),
});

const rdt = z.strictObject({
  closID: z
    .string()
    .max(4095)
    .regex(/^(\/|(?!\.{1,2}$)[^/\n]*)$/, 'expected the name of a directory, or "/"')
    .optional(),
  l3CacheSchema: z.string().optional(),
  memBwSchema: z.string().optional(),
  schemata: texts.optional(),
  enableMonitoring: z.boolean().optional(),
  enableCMT: z.boolean().optional(),
  enableMBM: z.boolean().optional(),
});

const edits = z.strictObject({
  env: z.array(z.string().regex(/^[^=]+=/, 'expected NAME=VALUE')).optional(),
  deviceNodes: z.array(deviceNode).optional(),
  netDevices: z.array(z.strictObject({ hostInterfaceName: text, name: text })).optional(),
  mounts: z
    .array(
      z.strictObject({
        hostPath: text,
        containerPath: text,
        options: texts.optional(),
        type: z.string().optional(),
      }),
    )
    .optional(),
  hooks: z
    .array(
      z.strictObject({
        hookName: z.enum(hookNames),
        path: text,
        args: texts.optional(),
        env: texts.optional(),
        timeout: z.int().optional(),
      }),
    )
    .optional(),
  additionalGids: z.array(id).optional(),
  intelRdt: rdt.optional(),
});

const isSomething = (given: object): boolean =>
  Object.values(given).some((value) => !Array.isArray(value) || value.length > 0);

const schema = z.strictObject({
  cdiVersion: z.enum(versions),
  kind: z
    .string()
    .regex(
      /^[A-Za-z]([\w.-]*[A-Za-z0-9])?\/[A-Za-z]([\w.-]*[A-Za-z0-9])?$/,
      'expected a vendor and a class, as in vendor.com/device',
    ),
  annotations,
  devices: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(
            /^[A-Za-z0-9]([\w.:-]*[A-Za-z0-9])?$/,
            'expected letters, digits, "_", "-", "." and ":", with a letter or digit at both ends',
          ),
        annotations,
        containerEdits: edits.refine(isSomething, 'expected at least one edit'),
      }),
    )
    .min(1, 'expected at least one device'),
  containerEdits: edits.optional(),
});

export interface CdiSpec {
  readonly file: string;
  /** Edits for each container with one of its devices. */
  readonly edits: CdiEdits;
  /** Devices by full name, such as `vendor.com/gpu=0`. */
  readonly devices: ReadonlyMap<string, CdiEdits>;
}

/** Reads a file in JSON or YAML. Throws InputError with file, line and field of each mistake. */
export function parseSpec(content: string, file: string): CdiSpec {
  const { value, problem } = readYaml(content, schema, file);
  const needed = neededVersion(value);
  if (needed !== undefined && versions.indexOf(needed.version) > versions.indexOf(value.cdiVersion))
    throw new InputError([
      problem(
        ['cdiVersion'],
        `expected ${needed.version} or newer, as ${needed.field} needs it; given "${value.cdiVersion}"`,
      ),
    ]);
  const devices = new Map<string, CdiEdits>();
  for (const [index, { name, containerEdits }] of value.devices.entries()) {
    const full = `${value.kind}=${name}`;
    if (devices.has(full))
      throw new InputError([
        problem(['devices', index, 'name'], `another device of this file is called "${name}" too`),
      ]);
    devices.set(full, containerEdits);
  }
  return { file, edits: value.containerEdits ?? {}, devices };
}
