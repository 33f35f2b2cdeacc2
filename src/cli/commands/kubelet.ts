import { Command } from 'commander';
import { addOptions } from '../options/define-options.js';
import { refuseKeep } from '../options/without-effect.js';
import { untilStopped } from '../signals.js';
import { type Flags, options } from './kubelet/settings.js';
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
  return addOptions(new Command('kubelet'), options)
    .description('run a kubelet for static pods on any CRI endpoint, without a cluster')
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
