import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
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

export const processChecks: Checks = {
  async 'INV-67.args'(t) {
    const sandbox = await t.sandbox();
    const command = ['sh', '-c', 'sleep 100000; true # $1', 'sh'];
    const args = ['', 'two words', '$HOME', '*'];
    const ownPid = withSecurity({ namespaceOptions: { pid: NamespaceMode.CONTAINER } });
    const containerId = await t.start(sandbox, { ...ownPid, command, args });
    const { stdout } = await t.cri.execSync({ containerId, cmd: ['cat', '/proc/1/cmdline'], timeout: 20n });
    const expected = `${[...command, ...args].join('\0')}\0`;
    mustEqual(Buffer.from(stdout).toString(), expected, 'the arguments of the process');
  },
  async 'INV-67.working-dir'(t) {
    const sandbox = await t.sandbox();
    const first = await t.script(sandbox, 'test "$(pwd)" = /tmp', { workingDir: '/tmp' });
    mustEqual((await t.exited(first)).exitCode, 0, 'the exit code of a process that expects to be in /tmp');
    const second = await t.start(sandbox, { workingDir: '/tmp' });
    mustEqual(await output(t, second, 'pwd'), '/tmp\n', 'the directory of a command');
  },
  async 'INV-67.envs'(t) {
    const value = 'a=b "c" $d, 世界';
    const envs = [
      { key: 'ONE', value: Buffer.from(value) },
      { key: 'EMPTY', value: Buffer.alloc(0) },
    ];
    const containerId = await t.start(await t.sandbox(), { envs });
    const seen = await output(t, containerId, 'printf "%s|%s" "$ONE" "$EMPTY"');
    mustEqual(seen, `${value}|`, 'the variables');
  },
  async 'INV-67.no-log'(t) {
    const sandbox = await t.sandbox();
    const status = await t.exited(await t.script(sandbox, 'echo hello', { logPath: '' }));
    must(status.logPath === '' || !existsSync(status.logPath), 'no log', status.logPath);
  },
  async 'INV-67.capabilities'(t) {
    must(((await capabilitiesOf(t, undefined)) & CHOWN) !== 0n, 'CAP_CHOWN by default', 'none');
    const without = await capabilitiesOf(t, { dropCapabilities: ['CHOWN'] });
    must((without & CHOWN) === 0n, 'no CAP_CHOWN after it was dropped', without.toString(16));
    const more = await capabilitiesOf(t, { addCapabilities: ['SYS_ADMIN'] });
    must((more & SYS_ADMIN) !== 0n, 'CAP_SYS_ADMIN after it was added', more.toString(16));
    mustEqual(await capabilitiesOf(t, { dropCapabilities: ['ALL'] }), 0n, 'capabilities without ALL');
  },
  async 'INV-67.no-new-privs'(t) {
    for (const noNewPrivs of [true, false]) {
      const flag = await lineOf(t, await confined(t, { noNewPrivs }), 'NoNewPrivs');
      mustEqual(flag, noNewPrivs ? '1' : '0', `NoNewPrivs with no_new_privs ${noNewPrivs}`);
    }
  },
  async 'INV-67.paths'(t) {
    const containerId = await confined(t, { maskedPaths: ['/etc/passwd'], readonlyPaths: ['/tmp'] });
    mustEqual(await output(t, containerId, 'cat /etc/passwd | wc -c'), '0\n', 'bytes in /etc/passwd');
    const code = await writing(t, containerId, '/tmp/x');
    must(code !== '0\n', 'writing to /tmp to fail', code);
  },
  async 'INV-67.read-only-root'(t) {
    const containerId = await confined(t, { readonlyRootfs: true });
    const file = join('/', t.name('file'));
    const code = await writing(t, containerId, file);
    must(code !== '0\n', 'writing to / to fail', code);
  },
};
