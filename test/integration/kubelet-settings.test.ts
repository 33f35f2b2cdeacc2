import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kubeletCommand } from '../../src/cli/commands/kubelet.js';
import { nodeCommand } from '../../src/cli/commands/node.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();

/** Options with which a command reads a KubeletConfiguration and fails before it connects to anything. */
type Options = (config: string) => string[];

const kubelet: Options = (config) => ['--config', config, '--root-dir', join(config, 'x')];

const node: Options = (config) => {
  const kubeconfig = join(temporary(), 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'a', user: { token: 'a' } }],
    }),
  );
  const given = ['--kubeconfig', kubeconfig, '--kubelet-config', config, '--pod-manifest-path', '/nowhere'];
  return [...given, '--kubelet-version', '1.34'];
};

const configured = (fields: object): string => {
  const file = join(temporary(), 'kubelet.yaml');
  const header = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  writeFileSync(file, JSON.stringify({ ...header, ...fields }));
  return file;
};

describe.each([
  ['kubelet --config', kubeletCommand, kubelet],
  ['node --kubelet-config', nodeCommand, node],
])('mockri %s', (command, make, options) => {
  const run = (file: string) => make().parseAsync(options(file), { from: 'user' });

  test('refuses an unknown feature gate', async () => {
    const file = configured({ featureGates: { EventedPLEGG: true } });
    await expect(run(file)).rejects.toThrow(
      `${file}: featureGates: EventedPLEGG: unknown feature gate; did you mean "EventedPLEG"?`,
    );
  });

  test('refuses a restart period whose gate is off', async () => {
    const file = configured({
      crashLoopBackOff: { maxContainerRestartPeriod: '60s' },
      featureGates: { KubeletCrashLoopBackOffMax: false },
    });
    await expect(run(file)).rejects.toThrow(
      `${file}: crashLoopBackOff.maxContainerRestartPeriod: FeatureGate KubeletCrashLoopBackOffMax not enabled`,
    );
  });

  test('names the fields that have no effect', () => {
    const file = configured({ maxPods: 10, cgroupDriver: 'systemd' });
    const [name = ''] = command.split(' ');
    const { stderr } = spawnSync(process.execPath, commandLine(name, ...options(file)), { encoding: 'utf8' });
    expect(stderr).toContain(`${file}: no effect here: cgroupDriver, maxPods`);
  });
});
