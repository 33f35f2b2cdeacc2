import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { CriError } from '../../cri/errors.js';
import { makeDirectory } from '../../input/make-directory.js';
import { readTextFile } from '../../input/text-file.js';
import { InputError } from '../../input/yaml.js';
import { parseFeatureGates } from '../../kubelet/config/feature-gates.js';
import { type KubeletSettings, kubeletSettings } from '../../node/settings.js';
import type { Redaction } from '../../tape/keep.js';
import { readEndpoint } from '../endpoint-option.js';
import { complain } from './complain.js';

/** The options of `mockri kubelet`, as given. */
export interface Flags {
  readonly containerRuntimeEndpoint?: string;
  readonly podManifestPath?: string;
  readonly config?: string;
  readonly kubeletVersion: string;
  readonly featureGates: string;
  readonly hostnameOverride: string;
  readonly rootDir: string;
  readonly podLogsDir?: string;
  readonly readOnlyPort?: string;
  readonly events: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly keepForeignPods: boolean;
  readonly record?: string;
  readonly keep?: Redaction[];
}

/** What the options and the file of --config say together. */
export interface Settings {
  readonly kubelet: KubeletSettings;
  readonly endpoint: string;
  /** Path of the manifests. */
  readonly manifests: string;
  readonly rootDir: string;
  readonly podLogsDir: string;
}

/** Reads the options, and creates the kubelet's directories. Throws InputError with what is wrong. */
export async function readSettings(flags: Flags): Promise<Settings> {
  const kubelet = readKubelet(flags);
  const { config } = kubelet;
  const option = '--container-runtime-endpoint';
  return {
    kubelet,
    endpoint: readEndpoint(required(config.containerRuntimeEndpoint, option), option),
    manifests: mustExist(required(config.staticPodPath, '--pod-manifest-path'), '--pod-manifest-path'),
    // Absolute, because the runtime has another working directory.
    rootDir: await makeOwn(flags.rootDir, '--root-dir'),
    podLogsDir: await makeOwn(config.podLogsDir, '--pod-logs-dir'),
  };
}

/** Like the kubelet, it exits if it cannot create its directories, before any pod could fail. */
async function makeOwn(given: string, option: string): Promise<string> {
  const directory = resolve(given);
  await makeDirectory(directory).catch((error: NodeJS.ErrnoException) => {
    throw new CriError(
      'unavailable',
      `${option} ${directory}: cannot create it (${error.code}); choose another directory`,
    );
  });
  return directory;
}

function readKubelet(flags: Flags): KubeletSettings {
  const settings = kubeletSettings({
    version: flags.kubeletVersion,
    gates: parseFeatureGates(flags.featureGates),
    ...(flags.config !== undefined && {
      config: { text: readTextFile(flags.config, '--config'), file: flags.config },
    }),
  });
  const { config, ignored } = settings;
  if (ignored.length > 0) complain(`${flags.config}: no effect here: ${ignored.join(', ')}`);
  const port = flags.readOnlyPort === undefined ? config.readOnlyPort : Number(flags.readOnlyPort);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InputError([
      `--read-only-port: given "${flags.readOnlyPort}"; expected a port from 0 to 65535`,
    ]);
  }
  return {
    ...settings,
    config: {
      ...config,
      containerRuntimeEndpoint: flags.containerRuntimeEndpoint ?? config.containerRuntimeEndpoint,
      staticPodPath: flags.podManifestPath ?? config.staticPodPath,
      podLogsDir: flags.podLogsDir ?? config.podLogsDir,
      readOnlyPort: port,
    },
  };
}

function required(value: string, option: string): string {
  if (value === '') throw new InputError([`${option} is required, or its field in the --config file`]);
  return value;
}

/**
 * A kubelet waits for a missing manifest directory and takes it for an empty one (config/file_linux.go). Here it is more
 * likely a typing error, and it would stop every pod of the runtime.
 */
function mustExist(path: string, option: string): string {
  if (existsSync(path)) return path;
  throw new InputError([`${option}: no file or directory at ${resolve(path)}`]);
}
