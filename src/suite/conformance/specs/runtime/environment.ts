import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NamespaceMode, PodSandboxState } from '../../../../cri/gen/runtime/v1/api.js';
import { allMethods } from '../../../../cri/methods.js';
import type { Checks } from '../../check.js';
import { isRpcFailure, must, mustEqual, mustWork } from '../../expect.js';
import { podWithCgroup } from '../steps/cgroup-parent.js';
import { output } from '../steps/look-inside.js';
import { podWithNamespaces } from '../steps/security.js';

export const environmentChecks: Checks = {
  async 'INV-62.nested-mounts'(t) {
    const directory = (name: string) => {
      const path = join(t.directory, name);
      mkdirSync(path);
      writeFileSync(join(path, 'which'), name);
      return path;
    };
    const mounts = [
      { containerPath: '/data/inner/deep', hostPath: directory('deep') },
      { containerPath: '/data/inner', hostPath: directory('inner') },
      { containerPath: '/data', hostPath: directory('outer') },
    ];
    for (const { hostPath } of mounts) mkdirSync(join(hostPath, 'inner'), { recursive: true });
    for (const { hostPath } of mounts) mkdirSync(join(hostPath, 'deep'), { recursive: true });
    const sandbox = await t.sandbox();
    for (const given of [mounts, [...mounts].reverse()]) {
      const containerId = await t.start(sandbox, { mounts: given });
      const seen = await output(t, containerId, 'cat /data/which /data/inner/which /data/inner/deep/which');
      mustEqual(seen, 'outerinnerdeep', 'the contents of the mounts, from the outermost');
    }
  },
  async 'INV-62.network-usage'(t) {
    const sandbox = await podWithCgroup(t);
    const containerId = await t.start(sandbox);
    const { stats } = await t.cri.podSandboxStats({ podSandboxId: sandbox.id });
    const interfaces = stats?.linux?.network?.interfaces ?? [];
    const main = stats?.linux?.network?.defaultInterface;
    const shown = [...(main ? [main] : []), ...interfaces];
    if (shown.length === 0) t.skip('PodSandboxStats has no network');
    const devices = await output(t, containerId, 'cat /proc/net/dev');
    for (const { name } of shown)
      must(
        new RegExp(`^\\s*${name}:`, 'm').test(devices),
        `an interface of the pod; it has\n${devices}`,
        name,
      );
  },
  async 'INV-62.host-network'(t) {
    const { id } = await podWithNamespaces(t, { network: NamespaceMode.NODE }, { hostname: '' });
    const status = await t.sandboxStatus(id);
    mustEqual(status.linux?.namespaces?.options?.network, NamespaceMode.NODE, 'the network in the status');
    for (const which of ['first', 'second'])
      await mustWork(t.cri.stopPodSandbox({ podSandboxId: id }), `the ${which} StopPodSandbox`);
    mustEqual((await t.sandboxStatus(id)).state, PodSandboxState.SANDBOX_NOTREADY, 'the state afterwards');
    await mustWork(t.cri.removePodSandbox({ podSandboxId: id }), 'RemovePodSandbox');
  },
  async 'INV-62.exec-while-stopping'(t) {
    const containerId = await t.trapping(await t.sandbox(), 'trap "touch /stopping" TERM');
    const stopping = t.cri.stopContainer({ containerId, timeout: 8n });
    stopping.catch(() => {});
    const look = () =>
      mustWork(
        t.cri.execSync({ containerId, cmd: ['sh', '-c', 'test -e /stopping'], timeout: 5n }),
        'ExecSync while the container stops',
      );
    await t.eventually(look, ({ exitCode }) => exitCode === 0, 'the container to get its stop signal');
    await t.cri.execSync({ containerId, cmd: ['sh', '-c', 'kill -9 -1'], timeout: 5n }).catch(() => {});
    await t.cri.stopContainer({ containerId, timeout: 0n });
  },
  async 'INV-62.malformed'(t) {
    const sandbox = await t.sandbox();
    const running = await t.start(sandbox);
    const config = t.containerConfig();
    const podSandboxId = sandbox.id;
    const empty = allMethods
      .filter(({ name, stream }) => !stream && name !== 'UpdateRuntimeConfig')
      .map(({ name, key }): [string, () => Promise<unknown>] => [
        `an empty ${name}`,
        () => (t.cri[key] as (request: object) => Promise<unknown>)({}),
      ]);
    const requests: readonly [string, () => Promise<unknown>][] = [
      ...empty,
      ['CreateContainer without sandbox_config', () => t.cri.createContainer({ podSandboxId, config })],
      [
        'CreateContainer with an empty sandbox_config',
        () => t.cri.createContainer({ podSandboxId, config: t.containerConfig(), sandboxConfig: {} }),
      ],
      [
        'CreateContainer without config',
        () => t.cri.createContainer({ podSandboxId, sandboxConfig: sandbox.config }),
      ],
      ['RunPodSandbox without config', () => t.cri.runPodSandbox({})],
      [
        'UpdateContainerResources without resources',
        () => t.cri.updateContainerResources({ containerId: running }),
      ],
      ['PullImage without an image', () => t.cri.pullImage({})],
      ['PortForward without ports', () => t.cri.portForward({ podSandboxId })],
    ];
    for (const [what, send] of requests) {
      const answer = await send().catch((error: unknown) => error);
      const isCutOff = answer instanceof Error && !isRpcFailure(answer);
      must(!isCutOff, `an answer to ${what}`, String(answer));
      await mustWork(t.cri.version({}), `Version after ${what}`);
      await mustWork(t.status(running), `ContainerStatus of a neighbor after ${what}`);
    }
  },
};
