import { isIP } from 'node:net';
import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext, Sandbox } from '../../check-context.js';
import { must, mustEqual } from '../../expect.js';
import { output, processes } from '../steps/look-inside.js';
import { podWithNamespaces, withSecurity } from '../steps/security.js';

/** Starts a container that sleeps for this number of seconds, which identifies it to others. */
const sleeping = (t: CheckContext, sandbox: Sandbox, time: number, pid: NamespaceMode, targetId = '') =>
  t.start(sandbox, {
    ...withSecurity({ namespaceOptions: { pid, targetId } }),
    command: ['sleep', String(time)],
  });

/** Unique times of two sleeping processes. */
const [ONE, TWO] = [100_731, 100_732];

export const insideChecks: Checks = {
  async 'INV-67.hostname'(t) {
    const containerId = await t.start(await t.sandbox({ hostname: 'a-name-of-its-own' }));
    mustEqual(await output(t, containerId, 'hostname'), 'a-name-of-its-own\n', 'hostname in a container');
  },
  async 'INV-67.dns'(t) {
    const dnsConfig = {
      servers: ['192.0.2.53', '192.0.2.54'],
      searches: ['one.example', 'two.example'],
      options: ['ndots:3'],
    };
    const containerId = await t.start(await t.sandbox({ dnsConfig }));
    const lines = (await output(t, containerId, 'cat /etc/resolv.conf')).split('\n');
    for (const server of dnsConfig.servers)
      must(lines.includes(`nameserver ${server}`), `the server ${server} in /etc/resolv.conf`, lines);
    must(lines.includes('search one.example two.example'), 'the search domains, in order', lines);
    must(lines.includes('options ndots:3'), 'the options', lines);
  },
  async 'INV-67.addresses'(t) {
    const { id } = await t.sandbox();
    const { network } = await t.sandboxStatus(id);
    must(isIP(network?.ip ?? '') !== 0, 'an IP address in the status', network ?? 'no network');
    await t.cri.stopPodSandbox({ podSandboxId: id });
    mustEqual((await t.sandboxStatus(id)).network?.ip ?? '', '', 'the address of the stopped pod');
  },
  async 'INV-67.statuses'(t) {
    const sandbox = await t.sandbox();
    const config = { labels: { a: 'b' }, annotations: { c: 'd' } };
    const exited = await t.script(sandbox, 'exit 3', config);
    await t.exited(exited);
    const ids = [await t.start(sandbox, config), await t.create(sandbox), exited];
    const { containersStatuses, timestamp } = await t.cri.podSandboxStatus({ podSandboxId: sandbox.id });
    if (containersStatuses.length === 0 && timestamp === 0n)
      t.skip('PodSandboxStatus has no statuses of containers');
    mustEqual(containersStatuses.map(({ id }) => id).sort(), [...ids].sort(), 'the ids of the statuses');
    for (const told of containersStatuses)
      mustEqual(told, await t.status(told.id), `the status of ${told.id}`);
  },
  async 'INV-67.pod-pid'(t) {
    const { POD } = NamespaceMode;
    const sandbox = await podWithNamespaces(t, { pid: POD });
    await sleeping(t, sandbox, ONE, POD);
    const seen = await processes(t, await sleeping(t, sandbox, TWO, POD));
    must(seen.includes(`sleep ${ONE}`), 'the process of the first container in the second', seen);
  },
  async 'INV-67.own-pid'(t) {
    const sandbox = await t.sandbox();
    await sleeping(t, sandbox, ONE, NamespaceMode.CONTAINER);
    const containerId = await sleeping(t, sandbox, TWO, NamespaceMode.CONTAINER);
    const seen = await processes(t, containerId);
    must(!seen.includes(`sleep ${ONE}`), 'no process of the first container in the second', seen);
    const first = await output(t, containerId, 'tr "\\0" " " < /proc/1/cmdline');
    mustEqual(first, `sleep ${TWO} `, 'process number 1');
  },
  async 'INV-67.target-pid'(t) {
    const sandbox = await t.sandbox();
    const target = await sleeping(t, sandbox, ONE, NamespaceMode.CONTAINER);
    const beside = await sleeping(t, sandbox, TWO, NamespaceMode.TARGET, target);
    const seen = await processes(t, beside);
    must(seen.includes(`sleep ${ONE}`), 'the process of the target', seen);
  },
};
