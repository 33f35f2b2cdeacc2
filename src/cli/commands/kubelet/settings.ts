import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { makeDirectory } from '../../../base/input/make-directory.js';
import { wholeNumberSchema } from '../../../base/input/schemas.js';
import { InputError } from '../../../base/input/yaml.js';
import { CriError } from '../../../cri/errors.js';
import type { KubeletSettings } from '../../../kubelet/hosts/settings.js';
import { dnsSubdomain } from '../../../kubelet/kubernetes/names.js';
import { defineOptions, type OptionsOf } from '../../options/define-options.js';
import { endpointSchema } from '../../options/endpoint.js';
import { checkManifestPath, featureGates, readKubeletSettings } from '../../options/kubelet-settings.js';
import { kubeletVersion } from '../../options/kubelet-versions.js';
import { keepList, readNamed } from '../../options/option.js';
import { outputFileSchema } from '../../output/output-file.js';
import { complain } from '../../terminal/complain.js';

export const options = defineOptions({
  '--container-runtime-endpoint <endpoint>': {
    about: 'endpoint of the runtime, such as unix:///run/containerd/containerd.sock',
    schema: endpointSchema,
  },
  '--pod-manifest-path <path>': { about: 'directory with pod manifests, or one file; watched for changes' },
  '--config <file>': { about: 'KubeletConfiguration file; the options here override it' },
  '--kubelet-version <version>': kubeletVersion,
  '--feature-gates <gates>': featureGates,
  '--hostname-override <name>': {
    about: 'name of the node; static pods get it as a suffix',
    schema: dnsSubdomain,
    default: hostname().toLowerCase(),
  },
  '--root-dir <dir>': {
    about: 'directory for volumes and termination messages',
    default: '/var/lib/kubelet',
  },
  '--pod-logs-dir <dir>': {
    about: 'directory where the runtime writes container logs (default: /var/log/pods)',
  },
  '--read-only-port <port>': {
    about: 'port for /pods, /healthz and /metrics; 0 turns it off (default: 0)',
    schema: wholeNumberSchema(0, 65_535),
  },
  '--keep-orphaned-pods': {
    about: 'keep pods that no manifest names (default: stop and remove them)',
    default: false,
  },
  '--events': { about: 'print Kubernetes events instead of rows', default: false },
  '--json': { about: 'print rows or events as JSON lines', default: false },
  '--verbose': { about: 'write the kubelet’s log to stderr', default: false },
  '--record <file>': {
    about: 'record calls and decisions into this file, compressed when it ends in .gz',
    schema: outputFileSchema,
  },
  '--keep <list>': keepList('categories that --record leaves unredacted'),
});
export type Flags = OptionsOf<typeof options>;

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
