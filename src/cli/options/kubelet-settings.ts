import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readTextFile } from '../../input/text-file.js';
import { InputError } from '../../input/yaml.js';
import { parseFeatureGates } from '../../kubelet/config/feature-gates.js';
import { type KubeletSettings, kubeletSettings } from '../../node/settings.js';

/** What options say of a kubelet. */
export interface KubeletOptions {
  readonly version: string;
  /** `NAME=true`, separated by commas. */
  readonly gates: string;
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
    gates: parseFeatureGates(gates),
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
