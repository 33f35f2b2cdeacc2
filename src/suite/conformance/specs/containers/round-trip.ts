import { join } from 'node:path';
import { Signal } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import { must, mustEqual } from '../../expect.js';

/** Labels and annotations that a careless runtime changes. */
const ODD = {
  'io.kubernetes.pod.name': 'looks/reserved',
  'io.kubernetes.container.hash': '0',
  'dots.and/slashes': 'a.b/c-d_e',
  empty: '',
  'UTF-8': 'gruß, 世界, 🐳',
  quotes: '"\'`$(x)\\n',
  newline: 'one\ntwo',
};

const LONG = 'x'.repeat(64 * 1024);

export const roundTripChecks: Checks = {
  async 'INV-22.sandbox'(t) {
    const { id, config } = await t.sandbox({ labels: ODD, annotations: ODD });
    const status = await t.sandboxStatus(id);
    const { items } = await t.cri.listPodSandbox({ filter: { id } });
    for (const found of [status, items[0]]) {
      mustEqual(sorted(found?.labels), sorted(config.labels), 'labels');
      mustEqual(sorted(found?.annotations), sorted(config.annotations), 'annotations');
    }
  },
  async 'INV-22.container'(t) {
    const sandbox = await t.sandbox();
    const config = t.containerConfig({ labels: ODD, annotations: ODD });
    const { containerId } = await t.cri.createContainer({
      podSandboxId: sandbox.id,
      config,
      sandboxConfig: sandbox.config,
    });
    const { containers } = await t.cri.listContainers({ filter: { id: containerId } });
    for (const found of [await t.status(containerId), containers[0]]) {
      mustEqual(sorted(found?.labels), sorted(config.labels), 'labels');
      mustEqual(sorted(found?.annotations), sorted(config.annotations), 'annotations');
    }
  },
  async 'INV-22.long'(t) {
    const containerId = await t.create(await t.sandbox(), { annotations: { long: LONG } });
    const { annotations } = await t.status(containerId);
    must(
      annotations.long === LONG,
      `${LONG.length} characters`,
      `${annotations.long?.length ?? 0} characters`,
    );
  },
  async 'INV-23.metadata'(t) {
    const metadata = { name: t.name('pod'), uid: t.name('uid'), namespace: 'name-space', attempt: 7 };
    const sandbox = await t.sandbox({ metadata });
    mustEqual((await t.sandboxStatus(sandbox.id)).metadata, metadata, 'the metadata of the sandbox');
    const { items } = await t.cri.listPodSandbox({ filter: { id: sandbox.id } });
    mustEqual(items[0]?.metadata, metadata, 'the metadata of the sandbox in the list');
    const name = t.name('ctr');
    for (const attempt of [0, 3]) {
      const id = await t.create(sandbox, { name, attempt });
      mustEqual((await t.status(id)).metadata, { name, attempt }, 'the metadata of the container');
      const { containers } = await t.cri.listContainers({ filter: { id } });
      mustEqual(containers[0]?.metadata, { name, attempt }, 'the metadata of the container in the list');
    }
  },
  async 'INV-23.log-path'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.create(sandbox, { logPath: 'app/3.log' });
    mustEqual(
      (await t.status(containerId)).logPath,
      join(sandbox.config.logDirectory, 'app/3.log'),
      'log_path',
    );
  },
  async 'INV-23.mounts'(t) {
    const mount = { containerPath: '/mnt/check', hostPath: t.directory, readonly: true };
    const containerId = await t.create(await t.sandbox(), { mounts: [mount] });
    const { mounts } = await t.status(containerId);
    const found = mounts.find((one) => one.containerPath === mount.containerPath);
    mustEqual(
      [found?.hostPath, found?.readonly],
      [mount.hostPath, true],
      'host path and readonly of the mount',
    );
  },
  async 'INV-23.stop-signal'(t) {
    const traps = 'trap "exit 41" TERM; trap "exit 42" USR1';
    const containerId = await t.trapping(await t.sandbox(), traps, { stopSignal: Signal.SIGNAL_SIGUSR1 });
    const { stopSignal } = await t.status(containerId);
    if (stopSignal === Signal.SIGNAL_RUNTIME_DEFAULT) t.skip('the runtime does not know stop_signal');
    mustEqual(stopSignal, Signal.SIGNAL_SIGUSR1, 'stop_signal');
    await t.cri.stopContainer({ containerId, timeout: 5n });
    mustEqual((await t.status(containerId)).exitCode, 42, 'the exit code of the trap for the stop signal');
  },
  async 'INV-24.verbose'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.create(sandbox);
    const image = { image: t.facts.image };
    const calls = (verbose: boolean) => [
      t.cri.status({ verbose }),
      t.cri.podSandboxStatus({ podSandboxId: sandbox.id, verbose }),
      t.cri.containerStatus({ containerId, verbose }),
      t.cri.imageStatus({ image, verbose }),
    ];
    for (const reply of await Promise.all(calls(false)))
      mustEqual(Object.keys(reply.info), [], 'info without verbose');
    for (const reply of await Promise.all(calls(true))) {
      must(Object.keys(reply.info).length > 0, 'some info with verbose', reply);
      for (const [key, value] of Object.entries(reply.info)) mustBeJson(key, value);
    }
  },
};

function mustBeJson(key: string, value: string): void {
  if (!value.startsWith('{')) return;
  try {
    JSON.parse(value);
  } catch (error) {
    must(false, `JSON in info["${key}"]`, `${error}: ${value.slice(0, 200)}`);
  }
}

const sorted = (map: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
