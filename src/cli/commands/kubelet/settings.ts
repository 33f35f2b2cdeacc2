import { resolve } from 'node:path';
import { makeDirectory } from '../../../base/input/make-directory.js';
import { InputError } from '../../../base/input/yaml.js';
import { CriError } from '../../../cri/errors.js';
import type { KubeletSettings } from '../../../kubelet/hosts/settings.js';
import type { Redaction } from '../../../tape/keep.js';
import { endpointSchema } from '../../options/endpoint.js';
import { checkManifestPath, type FeatureGates, readKubeletSettings } from '../../options/kubelet-settings.js';
import { readNamed } from '../../options/option.js';
import { complain } from '../../terminal/complain.js';

export interface Flags {
  readonly containerRuntimeEndpoint?: string;
  readonly podManifestPath?: string;
  readonly config?: string;
  readonly kubeletVersion: string;
  readonly featureGates?: FeatureGates;
  readonly hostnameOverride: string;
  readonly rootDir: string;
  readonly podLogsDir?: string;
  readonly readOnlyPort?: number;
  readonly events: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly keepOrphanedPods: boolean;
  readonly record?: string;
  readonly keep?: Redaction[];
}

export interface Settings {
  readonly kubelet: KubeletSettings;
  readonly endpoint: string;
  readonly manifests: string;
  readonly rootDir: string;
  readonly podLogsDir: string;
}

/** Parses the options and creates the kubelet's directories. Throws InputError. */
export async function readSettings(flags: Flags): Promise<Settings> {
  const kubelet = readKubelet(flags);
  const { config } = kubelet;
  const manifests = required(config.staticPodPath, '--pod-manifest-path');
  checkManifestPath(manifests, '--pod-manifest-path');
  return {
    kubelet,
    endpoint: endpointOf(flags, required(config.containerRuntimeEndpoint, '--container-runtime-endpoint')),
    manifests,
    // Absolute, because the runtime has another working directory.
    rootDir: await makeOwn(flags.rootDir, '--root-dir'),
    podLogsDir: await makeOwn(config.podLogsDir, '--pod-logs-dir'),
  };
}

/** Like the kubelet, exits if it cannot create its directories, before any pod could fail. */
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
  const { kubeletVersion: version, featureGates: gates, config: file } = flags;
  const settings = readKubeletSettings({ version, gates, file, option: '--config' }, complain);
  const { config } = settings;
  return {
    ...settings,
    config: {
      ...config,
      containerRuntimeEndpoint: flags.containerRuntimeEndpoint ?? config.containerRuntimeEndpoint,
      staticPodPath: flags.podManifestPath ?? config.staticPodPath,
      podLogsDir: flags.podLogsDir ?? config.podLogsDir,
      readOnlyPort: flags.readOnlyPort ?? config.readOnlyPort,
    },
  };
}

const endpointOf = ({ containerRuntimeEndpoint, config }: Flags, ofConfig: string): string =>
  containerRuntimeEndpoint ?? readNamed(ofConfig, `${config}: containerRuntimeEndpoint`, endpointSchema);

function required(value: string, option: string): string {
  if (value === '') throw new InputError([`${option} is required, or its field in the --config file`]);
  return value;
}
