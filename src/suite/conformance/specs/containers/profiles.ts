import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SecurityProfile_ProfileType as ProfileType } from '../../../../cri/gen/runtime/v1/api.js';
import type { Check } from '../../check.js';
import type { CheckContext, ContainerOptions, Sandbox } from '../../check-context.js';
import { mustEqual, mustFail, mustWork } from '../../expect.js';
import { output } from '../steps/look-inside.js';
import { withSecurity } from '../steps/security.js';

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

export const profileChecks: readonly Check[] = [
  {
    id: 'INV-65.seccomp',
    group: 'container',
    tag: 'spec',
    rule: 'A container has a seccomp filter with RuntimeDefault, and none with Unconfined.',
    source: 'cri-api SecurityProfile.profile_type',
    async run(t) {
      const sandbox = await t.sandbox();
      const { RuntimeDefault, Unconfined } = ProfileType;
      mustEqual(await seccompMode(t, sandbox, RuntimeDefault), 'Seccomp:\t2', 'with RuntimeDefault');
      mustEqual(await seccompMode(t, sandbox, Unconfined), 'Seccomp:\t0', 'with Unconfined');
    },
  },
  {
    id: 'INV-65.no-seccomp-profile',
    group: 'container',
    tag: 'spec',
    rule: 'A container whose seccomp profile the node does not have is refused, at the latest by StartContainer.',
    source: 'cri-api SecurityProfile.localhost_ref',
    async run(t) {
      const reference = join(t.directory, 'no-such-profile.json');
      const config = withProfile('seccomp', ProfileType.Localhost, reference);
      await mustFail(
        t.start(await t.sandbox(), config),
        'a container with a seccomp profile that is not there',
      );
    },
  },
  {
    id: 'INV-65.apparmor',
    group: 'container',
    tag: 'spec',
    rule: 'A container with the AppArmor profile Unconfined starts, and where the kernel has AppArmor, one with RuntimeDefault.',
    source: 'cri-api SecurityProfile.profile_type; the kubelet sends it where AppArmor is enabled',
    async run(t) {
      const sandbox = await t.sandbox();
      const { Unconfined, RuntimeDefault } = ProfileType;
      const isEnabled = existsSync('/sys/module/apparmor');
      for (const type of isEnabled ? [Unconfined, RuntimeDefault] : [Unconfined]) {
        const started = t.start(sandbox, withProfile('apparmor', type));
        await mustWork(started, `a container with the AppArmor profile ${ProfileType[type]}`);
      }
    },
  },
];
