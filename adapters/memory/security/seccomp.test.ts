import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  LinuxContainerSecurityContext,
  SecurityProfile_ProfileType,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { createRig } from '../../../test/support/linux/command-rig.js';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { seccompOf } from './seccomp.js';

const { Localhost, RuntimeDefault, Unconfined } = SecurityProfile_ProfileType;
const directory = useTemporaryDirectory();

let profiles = 0;
function profile(content: unknown): string {
  const path = join(directory, `${profiles++}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const context = (profileType: SecurityProfile_ProfileType, localhostRef = '', privileged = false) =>
  LinuxContainerSecurityContext.fromPartial({ privileged, seccomp: { profileType, localhostRef } });

const BLOCK = {
  defaultAction: 'SCMP_ACT_ALLOW',
  syscalls: [{ names: ['chmod', 'sethostname'], action: 'SCMP_ACT_ERRNO' }],
};

describe('seccomp', () => {
  it('filters only where a profile says so', () => {
    expect(seccompOf(undefined)).toBeUndefined();
    expect(seccompOf(LinuxContainerSecurityContext.fromPartial({}))).toBeUndefined();
    expect(seccompOf(context(Unconfined))).toBeUndefined();
    expect(seccompOf(context(Localhost, profile(BLOCK), true))).toBeUndefined();
    expect(seccompOf(context(RuntimeDefault))?.forbids('chmod')).toBe(false);
  });

  it('reads the profile of a file', () => {
    const blocking = seccompOf(context(Localhost, profile(BLOCK)));
    expect([blocking?.forbids('chmod'), blocking?.forbids('read')]).toEqual([true, false]);
    const allowing = seccompOf(
      context(
        Localhost,
        profile({
          defaultAction: 'SCMP_ACT_ERRNO',
          syscalls: [{ names: ['read'], action: 'SCMP_ACT_ALLOW' }],
        }),
      ),
    );
    expect([allowing?.forbids('chmod'), allowing?.forbids('read')]).toEqual([true, false]);
  });

  it.each([
    ['/nowhere/profile.json', 'no such file'],
    [profile('{'), 'it holds no JSON'],
    [profile({ syscalls: [] }), 'defaultAction'],
  ])('refuses the profile %s', (path, reason) => {
    expect(() => seccompOf(context(Localhost, path))).toThrow(reason);
  });

  it('lets commands fail as the kernel does', async () => {
    const security = { noNewPrivs: false, seccomp: seccompOf(context(Localhost, profile(BLOCK))) };
    const names: string[] = [];
    const view = { security, capabilities: ['SYS_ADMIN'], setHostname: (name: string) => names.push(name) };
    const { run } = createRig({ view });
    expect(await run('chmod 400 /')).toMatchObject({
      status: { code: 1 },
      stderr: 'chmod: /: Operation not permitted\n',
    });
    expect(await run('hostname other')).toMatchObject({
      status: { code: 1 },
      stderr: 'hostname: sethostname: Operation not permitted\n',
    });
    expect((await run(['sh', '-c', 'grep Seccomp: /proc/self/status'])).stdout).toBe('Seccomp:\t2\n');
    expect(names).toEqual([]);
  });

  it('is not in the way of a container without a filter', async () => {
    const names: string[] = [];
    const view = { capabilities: ['SYS_ADMIN'], setHostname: (name: string) => names.push(name) };
    const { run } = createRig({ view });
    expect((await run('hostname other')).status).toEqual({ code: 0 });
    expect((await run('chmod 700 /tmp')).status).toEqual({ code: 0 });
    expect((await run(['sh', '-c', 'grep Seccomp: /proc/self/status'])).stdout).toBe('Seccomp:\t0\n');
    expect(names).toEqual(['other']);
    const nobody = createRig({ view: { ...view, capabilities: [] } });
    expect((await nobody.run('hostname other')).status).toEqual({ code: 1 });
  });
});

describe('nonewprivs', () => {
  it.each([
    [true, 'Effective uid: 1000\n'],
    [false, 'Effective uid: 0\n'],
  ])('decides the user of a setuid program: %s', async (noNewPrivs, stdout) => {
    const image = 'registry.k8s.io/e2e-test-images/nonewprivs:1.3';
    const user = { uid: 1000, gid: 1000, groups: [1000], name: '' };
    const rig = createRig({ image, user, view: { security: { noNewPrivs, seccomp: undefined } } });
    expect(await rig.run('/nnp')).toEqual({ status: { code: 0 }, stdout, stderr: '' });
  });
});
