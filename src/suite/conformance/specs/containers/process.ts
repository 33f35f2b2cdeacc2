import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual } from '../../expect.js';
import { output, writing } from '../steps/look-inside.js';
import { type SecurityContext, withSecurity } from '../steps/security.js';

const confined = async (t: CheckContext, securityContext: SecurityContext): Promise<string> =>
  t.start(await t.sandbox(), withSecurity(securityContext));

async function lineOf(t: CheckContext, containerId: string, name: string): Promise<string> {
  const line = await output(t, containerId, `grep ^${name}: /proc/self/status`);
  return line.slice(line.indexOf(':') + 1).trim();
}

/** The bits of CAP_CHOWN and CAP_SYS_ADMIN in a capability set. */
const CHOWN = 1n << 0n;
const SYS_ADMIN = 1n << 21n;

const capabilitiesOf = async (t: CheckContext, capabilities: SecurityContext['capabilities']) =>
  BigInt(`0x${await lineOf(t, await confined(t, { capabilities }), 'CapEff')}`);

export const processChecks: readonly Check[] = [
  {
    id: 'INV-67.args',
    group: 'container',
    tag: 'spec',
    rule: 'The process of a container has command and args as its arguments, unchanged.',
    source: 'cri-api ContainerConfig.command, args',
    async run(t) {
      const sandbox = await t.sandbox();
      const command = ['sh', '-c', 'sleep 100000; true # $1', 'sh'];
      const args = ['', 'two words', '$HOME', '*'];
      const ownPid = withSecurity({ namespaceOptions: { pid: NamespaceMode.CONTAINER } });
      const containerId = await t.start(sandbox, { ...ownPid, command, args });
      const { stdout } = await t.cri.execSync({ containerId, cmd: ['cat', '/proc/1/cmdline'], timeout: 20n });
      const expected = `${[...command, ...args].join('\0')}\0`;
      mustEqual(Buffer.from(stdout).toString(), expected, 'the arguments of the process');
    },
  },
  {
    id: 'INV-67.working-dir',
    group: 'container',
    tag: 'spec',
    rule: 'The process of a container and the commands run in it begin in working_dir.',
    source: 'cri-api ContainerConfig.working_dir',
    async run(t) {
      const sandbox = await t.sandbox();
      const first = await t.script(sandbox, 'test "$(pwd)" = /tmp', { workingDir: '/tmp' });
      mustEqual((await t.exited(first)).exitCode, 0, 'the exit code of a process that expects to be in /tmp');
      const second = await t.start(sandbox, { workingDir: '/tmp' });
      mustEqual(await output(t, second, 'pwd'), '/tmp\n', 'the directory of a command');
    },
  },
  {
    id: 'INV-67.envs',
    group: 'container',
    tag: 'spec',
    rule: 'The commands run in a container have its environment variables, unchanged.',
    source: 'cri-api ContainerConfig.envs',
    async run(t) {
      const value = 'a=b "c" $d, 世界';
      const envs = [
        { key: 'ONE', value: Buffer.from(value) },
        { key: 'EMPTY', value: Buffer.alloc(0) },
      ];
      const containerId = await t.start(await t.sandbox(), { envs });
      const seen = await output(t, containerId, 'printf "%s|%s" "$ONE" "$EMPTY"');
      mustEqual(seen, `${value}|`, 'the variables');
    },
  },
  {
    id: 'INV-67.no-log',
    group: 'logs',
    tag: 'spec',
    rule: 'A container without log_path has no log, and its status no path of one.',
    source: 'cri-api ContainerConfig.log_path',
    async run(t) {
      const sandbox = await t.sandbox();
      const status = await t.exited(await t.script(sandbox, 'echo hello', { logPath: '' }));
      must(status.logPath === '' || !existsSync(status.logPath), 'no log', status.logPath);
    },
  },
  {
    id: 'INV-67.capabilities',
    group: 'container',
    tag: 'spec',
    rule: 'drop_capabilities takes capabilities away, ALL each of them, and add_capabilities gives them.',
    source: 'cri-api Capability',
    async run(t) {
      must(((await capabilitiesOf(t, undefined)) & CHOWN) !== 0n, 'CAP_CHOWN by default', 'none');
      const without = await capabilitiesOf(t, { dropCapabilities: ['CHOWN'] });
      must((without & CHOWN) === 0n, 'no CAP_CHOWN after it was dropped', without.toString(16));
      const more = await capabilitiesOf(t, { addCapabilities: ['SYS_ADMIN'] });
      must((more & SYS_ADMIN) !== 0n, 'CAP_SYS_ADMIN after it was added', more.toString(16));
      mustEqual(await capabilitiesOf(t, { dropCapabilities: ['ALL'] }), 0n, 'capabilities without ALL');
    },
  },
  {
    id: 'INV-67.no-new-privs',
    group: 'container',
    tag: 'spec',
    rule: 'no_new_privs is set for the processes of a container, and not set by default.',
    source: 'cri-api LinuxContainerSecurityContext.no_new_privs',
    async run(t) {
      for (const noNewPrivs of [true, false]) {
        const flag = await lineOf(t, await confined(t, { noNewPrivs }), 'NoNewPrivs');
        mustEqual(flag, noNewPrivs ? '1' : '0', `NoNewPrivs with no_new_privs ${noNewPrivs}`);
      }
    },
  },
  {
    id: 'INV-67.paths',
    group: 'container',
    tag: 'spec',
    rule: 'masked_paths show empty, and readonly_paths cannot be written.',
    source: 'cri-api LinuxContainerSecurityContext.masked_paths, readonly_paths',
    async run(t) {
      const containerId = await confined(t, { maskedPaths: ['/etc/passwd'], readonlyPaths: ['/tmp'] });
      mustEqual(await output(t, containerId, 'cat /etc/passwd | wc -c'), '0\n', 'bytes in /etc/passwd');
      const code = await writing(t, containerId, '/tmp/x');
      must(code !== '0\n', 'writing to /tmp to fail', code);
    },
  },
  {
    id: 'INV-67.read-only-root',
    group: 'container',
    tag: 'spec',
    rule: 'With readonly_rootfs, nothing of the image can be written.',
    source: 'cri-api LinuxContainerSecurityContext.readonly_rootfs',
    async run(t) {
      const containerId = await confined(t, { readonlyRootfs: true });
      const file = join('/', t.name('file'));
      const code = await writing(t, containerId, file);
      must(code !== '0\n', 'writing to / to fail', code);
    },
  },
];
