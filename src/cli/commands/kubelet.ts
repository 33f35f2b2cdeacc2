import { hostname } from 'node:os';
import { Command } from 'commander';
import { wholeNumberSchema } from '../../base/input/schemas.js';
import { DEFAULT_KUBELET_VERSION, kubeletVersions } from '../../kubelet/config/versions.js';
import { dnsSubdomain } from '../../kubelet/kubernetes/names.js';
import { endpointSchema } from '../options/endpoint.js';
import { featureGatesOption } from '../options/kubelet-settings.js';
import { withoutPatch } from '../options/kubelet-versions.js';
import { keepOption, option } from '../options/option.js';
import { refuseKeep } from '../options/without-effect.js';
import { outputFileSchema } from '../output/output-file.js';
import { untilStopped } from '../signals.js';
import type { Flags } from './kubelet/settings.js';
import { startKubelet } from './kubelet/start.js';

const EXAMPLES = `
Examples:
  $ mockri kubelet --container-runtime-endpoint unix:///tmp/mockri.sock --pod-manifest-path ./pods \\
      --root-dir /tmp/kubelet --pod-logs-dir /tmp/kubelet/logs
  $ mockri kubelet --config kubelet.yaml --kubelet-version 1.37 --events
  $ mockri kubelet --config kubelet.yaml --json --read-only-port 10255
  $ mockri kubelet --config kubelet.yaml --record kubelet.tape.gz   # then: mockri tape show kubelet.tape.gz

Like the real kubelet, it stops and removes every pod of the runtime that no manifest names. It prints a line first.
With --keep-orphaned-pods it keeps these pods.
SIGTERM or Ctrl-C stops the kubelet and leaves the pods running.
`;

/** `mockri kubelet`: the thin kubelet on any CRI endpoint, in real time. */
export function kubeletCommand(): Command {
  return new Command('kubelet')
    .description('run a kubelet for static pods on any CRI endpoint, without a cluster')
    .addOption(
      option(
        '--container-runtime-endpoint <endpoint>',
        'endpoint of the runtime, such as unix:///run/containerd/containerd.sock',
        endpointSchema,
      ),
    )
    .option('--pod-manifest-path <path>', 'directory with pod manifests, or one file; watched for changes')
    .option('--config <file>', 'KubeletConfiguration file; the options here override it')
    .option(
      '--kubelet-version <version>',
      `kubelet version to imitate, ${kubeletVersions[0]} to ${kubeletVersions.at(-1)}`,
      withoutPatch,
      DEFAULT_KUBELET_VERSION,
    )
    .addOption(featureGatesOption())
    .addOption(
      option(
        '--hostname-override <name>',
        'name of the node; static pods get it as a suffix',
        dnsSubdomain,
      ).default(hostname().toLowerCase()),
    )
    .option('--root-dir <dir>', 'directory for volumes and termination messages', '/var/lib/kubelet')
    .option(
      '--pod-logs-dir <dir>',
      'directory where the runtime writes container logs (default: /var/log/pods)',
    )
    .addOption(
      option(
        '--read-only-port <port>',
        'port for /pods, /healthz and /metrics; 0 turns it off (default: 0)',
        wholeNumberSchema(0, 65_535),
      ),
    )
    .option('--keep-orphaned-pods', 'keep pods that no manifest names (default: stop and remove them)', false)
    .option('--events', 'print Kubernetes events instead of rows', false)
    .option('--json', 'print rows or events as JSON lines', false)
    .option('--verbose', 'write the kubelet’s log to stderr', false)
    .addOption(
      option(
        '--record <file>',
        'record calls and decisions into this file, compressed when it ends in .gz',
        outputFileSchema,
      ),
    )
    .addOption(keepOption('categories that --record leaves unredacted'))
    .addHelpText('after', EXAMPLES)
    .action((flags: Flags) => {
      refuseKeep(flags.keep !== undefined, flags.record !== undefined);
      return untilStopped(async ({ signal, stopped, atEnd }) => {
        await startKubelet(flags, atEnd, signal).catch((error: unknown) => {
          // Calls in progress fail when it is stopped.
          if (!signal.aborted) throw error;
        });
        await stopped;
      });
    });
}
