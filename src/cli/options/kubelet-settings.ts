import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextFile } from '../../base/input/text-file.js';
import { InputError } from '../../base/input/yaml.js';
import { parseFeatureGates } from '../../kubelet/config/feature-gates.js';
import { type KubeletSettings, kubeletSettings } from '../../kubelet/hosts/settings.js';
import { readBy } from './option.js';

export type FeatureGates = Readonly<Record<string, boolean>>;

/** Syntax of `--feature-gates`. */
export const FEATURE_GATES_HELP = 'NAME=true or NAME=false, separated by commas';

/** `EventedPLEG=true,CRIListStreaming=false`; the kubelet's version decides whether it has these gates. */
export const featureGatesSchema = readBy(parseFeatureGates, `expected ${FEATURE_GATES_HELP}`);

export const featureGates = { about: FEATURE_GATES_HELP, schema: featureGatesSchema };

export interface KubeletOptions {
  readonly version: string;
  readonly gates: FeatureGates | undefined;
  readonly file: string | undefined;
  readonly option: string;
}

/** `warn` receives fields of the file without effect. Throws InputError. */
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
 * A kubelet treats a missing manifest directory as empty (config/file_linux.go). Here it is more likely a typing error
 * that would stop every pod of the runtime. Throws InputError, which names where the path comes from.
 */
export function checkManifestPath(path: string, from: string): void {
  if (!existsSync(path)) throw new InputError([`${from}: no file or directory at ${resolve(path)}`]);
}
