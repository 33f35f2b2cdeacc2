import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { createRealClock } from '../clock/real-clock.js';
import { connectCri } from '../cri/client/connect.js';
import { CriError } from '../cri/errors.js';
import { makeDirectory } from '../input/make-directory.js';
import { readTextFile } from '../input/text-file.js';
import { checkInput, InputError } from '../input/yaml.js';
import { parseFeatureGates } from '../kubelet/config/feature-gates.js';
import {
  checkRestartPeriod,
  defaultKubeletConfig,
  type KubeletConfig,
  parseKubeletConfig,
} from '../kubelet/config/kubelet-configuration.js';
import { DEFAULT_KUBELET_VERSION, kubeletVersions, versionProfile } from '../kubelet/config/profile.js';
import { startReadOnlyServer } from '../kubelet/http/read-only-server.js';
import { createKubelet } from '../kubelet/kubelet.js';
import { createKubeletMetrics } from '../kubelet/metrics/metrics.js';
import { createGivenPods } from '../kubelet/pods/given-pods.js';
import { watchManifests } from '../kubelet/pods/manifest-source.js';
import { createNodeFiles } from '../kubelet/runtime/node-files.js';
import { podRow } from '../kubelet/status/row.js';
import { createRandom } from '../random/random.js';
import { keepSchema, type Redaction, redactions } from '../tape/keep.js';
import { readEndpoint } from './endpoint-option.js';
import { createPrinter } from './kubelet-printer.js';
import { recordKubelet } from './kubelet-recording.js';

interface Flags {
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

/** Timeout of the first connection (ms). */
const CONNECT_TIMEOUT = 10_000;

const EXAMPLES = `
Examples:
  $ mockri kubelet --container-runtime-endpoint unix:///tmp/mockri.sock --pod-manifest-path ./pods \\
      --root-dir /tmp/kubelet --pod-logs-dir /tmp/kubelet/logs
  $ mockri kubelet --config kubelet.yaml --kubelet-version 1.37 --events
  $ mockri kubelet --config kubelet.yaml --json --read-only-port 10255
  $ mockri kubelet --config kubelet.yaml --record kubelet.tape.gz   # then: mockri tape show kubelet.tape.gz

Like the real kubelet, it stops and removes every pod of the runtime that no manifest names. It prints a line first.
With --keep-foreign-pods it keeps these pods.
SIGTERM or Ctrl-C stops the kubelet and leaves the pods running.
`;

/** `mockri kubelet`: the thin kubelet on any CRI endpoint, in real time. */
export function kubeletCommand(): Command {
  return new Command('kubelet')
    .description('run a kubelet for static pods on any CRI endpoint, without a cluster')
    .option(
      '--container-runtime-endpoint <endpoint>',
      'endpoint of the runtime, such as unix:///run/containerd/containerd.sock',
    )
    .option('--pod-manifest-path <path>', 'directory with pod manifests, or one file; watched for changes')
    .option('--config <file>', 'KubeletConfiguration file; the options here override it')
    .option(
      '--kubelet-version <version>',
      `kubelet version to imitate, ${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`,
      DEFAULT_KUBELET_VERSION,
    )
    .option('--feature-gates <gates>', 'NAME=true or NAME=false, separated by commas', '')
    .option(
      '--hostname-override <name>',
      'name of the node; static pods get it as a suffix',
      hostname().toLowerCase(),
    )
    .option('--root-dir <dir>', 'directory for volumes and termination messages', '/var/lib/kubelet')
    .option(
      '--pod-logs-dir <dir>',
      'directory where the runtime writes container logs (default: /var/log/pods)',
    )
    .option('--read-only-port <port>', 'port for /pods, /healthz and /metrics; 0 turns it off (default: 0)')
    .option('--keep-foreign-pods', 'keep pods that no manifest names (default: stop and remove them)', false)
    .option('--events', 'print Kubernetes events instead of rows', false)
    .option('--json', 'print rows or events as JSON lines', false)
    .option('--verbose', 'write the kubelet’s log to stderr', false)
    .option('--record <file>', 'record calls and decisions into this file, compressed when it ends in .gz')
    .addOption(
      new Option(
        '--keep <list>',
        `what --record does not redact: ${redactions.join(', ')}, or all`,
      ).argParser((text: string) => checkInput(text, keepSchema, '--keep')),
    )
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => runKubelet(flags));
}

/** Runs until SIGINT or SIGTERM. Pods keep running, as with the kubelet. */
async function runKubelet(flags: Flags): Promise<void> {
  const cleanups: (() => unknown)[] = [];
  try {
    await startKubelet(flags, (cleanUp) => cleanups.push(cleanUp));
    await new Promise<void>((resolve) => {
      process.once('SIGINT', resolve);
      process.once('SIGTERM', resolve);
    });
  } finally {
    for (const cleanUp of cleanups.reverse()) await cleanUp();
  }
}

/**
 * Starts all parts; those that can fail come first. `atEnd` receives the cleanup functions, which run in reverse
 * order.
 */
async function startKubelet(flags: Flags, atEnd: (cleanUp: () => unknown) => void): Promise<void> {
  const config = readConfig(flags);
  const gates = { ...config.featureGates, ...parseFeatureGates(flags.featureGates) };
  const profile = versionProfile(flags.kubeletVersion, { gates });
  checkRestartPeriod(config, profile.gates.KubeletCrashLoopBackOffMax, flags.config ?? 'kubelet');
  const clock = createRealClock();
  const option = '--container-runtime-endpoint';
  const endpoint = readEndpoint(required(config.containerRuntimeEndpoint, option), option);
  const manifests = mustExist(required(config.staticPodPath, '--pod-manifest-path'), '--pod-manifest-path');
  // Absolute, because the runtime has another working directory.
  const rootDir = await makeOwn(flags.rootDir, '--root-dir');
  const podLogsDir = await makeOwn(config.podLogsDir, '--pod-logs-dir');
  const connection = connectCri(endpoint, { clock });
  atEnd(() => connection.close());
  await connection.waitForReady(CONNECT_TIMEOUT).catch(() => {
    throw new CriError(
      'unavailable',
      `no response from a runtime at ${endpoint} within ${CONNECT_TIMEOUT / 1000} s; start one, or correct --container-runtime-endpoint`,
    );
  });
  const pods = createGivenPods();
  const { cri, tape, close } = await recordKubelet({
    cri: connection,
    clock,
    file: flags.record,
    keep: flags.keep,
    kubelet: flags.kubeletVersion,
    podOf: (name) => {
      const { namespace = 'default', uid } =
        pods.all.find(({ metadata }) => metadata.name === name)?.metadata ?? {};
      return { name, namespace, ...(uid !== undefined && { uid }) };
    },
    onFailure: (message) => complain(`mockri: ${message}`),
  });
  atEnd(close);
  const metrics = createKubeletMetrics(profile.minor);
  const printer = createPrinter(flags);
  const begun = clock.now();
  const seconds = () => Math.round(Number(clock.now() - begun) / 1e6) / 1000;

  const kubelet = createKubelet({
    cri,
    clock,
    random: createRandom(String(begun)),
    profile,
    config,
    podSource: pods,
    files: createNodeFiles({ rootDir, podLogsDir }),
    metrics: metrics.pleg,
    eventSink: {
      event: (event) => {
        const { pod, field, type, reason, message } = event;
        printer.event({ t: seconds(), pod, field, type, reason, message });
        tape.event(event);
      },
    },
    statusSink: {
      status: (pod, status) => {
        const { name, ready, status: text, restarts } = podRow(pod, status, clock.now());
        const row = { pod: name, ready, status: text, restarts };
        if (printer.row({ t: seconds(), ...row })) tape.row(row);
      },
    },
    onNode: ({ status, reason, message }) => {
      complain(`node Ready=${status}: ${message}`);
      tape.node({ ready: status, reason, message, taint: undefined, evicting: false });
    },
    ...(flags.record !== undefined && {
      onBackOff: tape.backOff,
      onPleg: tape.pleg,
      onProbe: tape.probe,
    }),
    log: (text) => {
      if (flags.verbose) complain(text);
      tape.log(text);
    },
    foreignPods: {
      keep: flags.keepForeignPods,
      onStop: ({ namespace, name, uid }) =>
        complain(
          `stopping pod ${namespace}/${name} (uid ${uid}): the runtime has it, but no manifest in ${manifests} names it; --keep-foreign-pods leaves such pods alone`,
        ),
    },
  });
  if (config.readOnlyPort !== 0) {
    const { address, readOnlyPort: port } = config;
    const { pods: told, syncLoopHealth: health } = kubelet;
    const server = await startReadOnlyServer({ address, port, pods: told, metrics, health }).catch(
      (error) => {
        throw new CriError(
          'unavailable',
          `--read-only-port: cannot listen on ${address}:${port} (${error.code})`,
        );
      },
    );
    atEnd(() => server.close());
  }
  const source = await watchManifests({
    path: manifests,
    nodeName: flags.hostnameOverride.trim().toLowerCase(),
    clock,
    period: config.fileCheckFrequency,
    onPods: pods.set,
    onProblem: complain,
  });
  atEnd(() => source.close());
  atEnd(() => kubelet.stop());
  await kubelet.start();
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

function readConfig(flags: Flags): KubeletConfig {
  const base = flags.config === undefined ? defaultKubeletConfig() : loadConfig(flags.config);
  const port = flags.readOnlyPort === undefined ? base.readOnlyPort : Number(flags.readOnlyPort);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new InputError([
      `--read-only-port: given "${flags.readOnlyPort}"; expected a port from 0 to 65535`,
    ]);
  }
  return {
    ...base,
    containerRuntimeEndpoint: flags.containerRuntimeEndpoint ?? base.containerRuntimeEndpoint,
    staticPodPath: flags.podManifestPath ?? base.staticPodPath,
    podLogsDir: flags.podLogsDir ?? base.podLogsDir,
    readOnlyPort: port,
  };
}

function loadConfig(file: string): KubeletConfig {
  const { config, ignored } = parseKubeletConfig(readTextFile(file, '--config'), file);
  if (ignored.length > 0) complain(`${file}: no effect here: ${ignored.join(', ')}`);
  return config;
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

const complain = (line: string): void => void process.stderr.write(`${line}\n`);
