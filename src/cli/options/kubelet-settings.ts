import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Option } from 'commander';
import { readTextFile } from '../../base/input/text-file.js';
import { InputError } from '../../base/input/yaml.js';
import { parseFeatureGates } from '../../kubelet/config/feature-gates.js';
import { type KubeletSettings, kubeletSettings } from '../../kubelet/hosts/settings.js';
import { option, readBy } from './option.js';

/** Gates that are turned on or off. */
export type FeatureGates = Readonly<Record<string, boolean>>;

/** What `--feature-gates` is. */
export const FEATURE_GATES_HELP = 'NAME=true or NAME=false, separated by commas';

/** `EventedPLEG=true,CRIListStreaming=false`; whether a kubelet has these gates depends on its version. */
export const featureGatesSchema = readBy(parseFeatureGates, `expected ${FEATURE_GATES_HELP}`);

/** `--feature-gates`. */
export const featureGatesOption = (): Option =>
  option('--feature-gates <gates>', FEATURE_GATES_HELP, featureGatesSchema);

/** What options say of a kubelet. */
export interface KubeletOptions {
  readonly version: string;
  readonly gates: FeatureGates | undefined;
  /** A KubeletConfiguration. */
  readonly file: string | undefined;
  /** The option that names it. */
  readonly option: string;
}

/** Settings of a kubelet; `warn` gets the names of the fields of the file without effect. Throws InputError. */
export function readKubeletSettings(
  { version, gates, file, option }: KubeletOptions,
  warn: (message: string) => void,
): KubeletSettings {
  const settings = kubeletSettings({
    version,
    gates,
    ...(file !== undefined && { config: { text: readTextFile(file, option), file } }),
  });
  if (settings.ignored.length > 0) warn(`${file}: no effect here: ${settings.ignored.join(', ')}`);
  return settings;
}

/**
 * A kubelet waits for a missing manifest directory and takes it for an empty one (config/file_linux.go). Here it is more
 * likely a typing error, and it would stop every pod of the runtime. Throws InputError, which names what gave the path.
 */
export function checkManifestPath(path: string, from: string): void {
  if (!existsSync(path)) throw new InputError([`${from}: no file or directory at ${resolve(path)}`]);
}
