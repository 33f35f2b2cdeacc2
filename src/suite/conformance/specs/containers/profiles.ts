import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SecurityProfile_ProfileType as ProfileType } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext, ContainerOptions, Sandbox } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork } from '../../expect.js';
import { output } from '../steps/look-inside.js';
import { withSecurity } from '../steps/security.js';

/** A seccomp profile in the form that runtimes read (runtime-spec, config-linux.md). */
const NO_CHMOD = {
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [{ names: ['chmod', 'fchmod', 'fchmodat', 'fchmodat2'], action: 'SCMP_ACT_ERRNO' }],
};

type Kind = 'seccomp' | 'apparmor';

const withProfile = (kind: Kind, profileType: ProfileType, localhostRef = ''): ContainerOptions =>
  withSecurity({ [kind]: { profileType, localhostRef } });

/** The mode of seccomp in /proc/PID/status: 0 off, 2 a filter. Skips if the kernel has none. */
async function seccompMode(t: CheckContext, sandbox: Sandbox, type: ProfileType): Promise<string> {
  const containerId = await t.start(sandbox, withProfile('seccomp', type));
  const line = await output(t, containerId, 'grep ^Seccomp: /proc/self/status');
  if (line === '') t.skip('/proc/self/status has no line Seccomp: the kernel has no seccomp');
  return line.trim();
}

export const profileChecks: Checks = {
  async 'INV-65.seccomp'(t) {
    const sandbox = await t.sandbox();
    const { RuntimeDefault, Unconfined } = ProfileType;
    mustEqual(await seccompMode(t, sandbox, RuntimeDefault), 'Seccomp:\t2', 'with RuntimeDefault');
    mustEqual(await seccompMode(t, sandbox, Unconfined), 'Seccomp:\t0', 'with Unconfined');
  },
  async 'INV-65.no-seccomp-profile'(t) {
    const reference = join(t.directory, 'no-such-profile.json');
    const config = withProfile('seccomp', ProfileType.Localhost, reference);
    await mustFail(
      t.start(await t.sandbox(), config),
      'a container with a seccomp profile that is not there',
    );
  },
  async 'INV-65.seccomp-localhost'(t) {
    const path = join(t.directory, 'no-chmod.json');
    writeFileSync(path, JSON.stringify(NO_CHMOD));
    const containerId = await t.start(await t.sandbox(), withProfile('seccomp', ProfileType.Localhost, path));
    const code = (command: string) => output(t, containerId, `${command} 2>/dev/null; echo $?`);
    mustEqual(await code('touch /tmp/x'), '0\n', 'the exit code of touch');
    mustEqual(await code('chmod 700 /tmp/x'), '1\n', 'the exit code of chmod, which the profile forbids');
  },
  async 'INV-65.selinux'(t) {
    const selinuxOptions = { user: 'system_u', role: 'system_r', type: 'container_t', level: 's0:c4,c5' };
    const started = t.start(await t.sandbox(), withSecurity({ selinuxOptions }));
    const containerId = await mustWork(started, 'a container with selinux_options');
    if (!existsSync('/sys/fs/selinux/enforce')) return;
    const label = await output(t, containerId, 'cat /proc/self/attr/current');
    must(label.includes(':container_t:s0:c4,c5'), 'the type and level in /proc/self/attr/current', label);
  },
  async 'INV-65.apparmor'(t) {
    const sandbox = await t.sandbox();
    const { Unconfined, RuntimeDefault } = ProfileType;
    const isEnabled = existsSync('/sys/module/apparmor');
    for (const type of isEnabled ? [Unconfined, RuntimeDefault] : [Unconfined]) {
      const started = t.start(sandbox, withProfile('apparmor', type));
      await mustWork(started, `a container with the AppArmor profile ${ProfileType[type]}`);
    }
  },
};
