import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MountPropagation } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext, ContainerOptions, Sandbox } from '../../check-context.js';
import { isRpcFailure, must, mustEqual, mustFail } from '../../expect.js';
import { output, writing } from '../steps/look-inside.js';

type Mount = NonNullable<ContainerOptions['mounts']>[number];

const AT = '/mnt/check';

/** A directory of the host with a file `a`. */
function hostDirectory(t: CheckContext): string {
  const path = t.emptyDirectory('mount');
  writeFileSync(join(path, 'a'), 'kept');
  return path;
}

/** Starts a container with an image as a volume; skips if the runtime has none. */
async function withImage(t: CheckContext, sandbox: Sandbox): Promise<string> {
  try {
    return await t.start(sandbox, { mounts: [imageMount(t)] });
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    return t.skip(`this runtime mounts no images: ${error.details}`);
  }
}

const imageMount = (t: CheckContext): Mount => ({
  containerPath: AT,
  image: { image: t.facts.image },
  readonly: true,
});

export const mountChecks: Checks = {
  async 'INV-66.read-only'(t) {
    const [open, closed] = [hostDirectory(t), hostDirectory(t)];
    const mounts: Mount[] = [
      { containerPath: '/mnt/open', hostPath: open },
      { containerPath: '/mnt/closed', hostPath: closed, readonly: true },
    ];
    const containerId = await t.start(await t.sandbox(), { mounts });
    mustEqual(await writing(t, containerId, '/mnt/open/b'), '0\n', 'the exit code of writing to /mnt/open');
    must((await writing(t, containerId, '/mnt/closed/b')) !== '0\n', 'writing to /mnt/closed to fail', '0');
    mustEqual(readdirSync(open).sort(), ['a', 'b'], 'the files on the host that can be written');
    mustEqual(readdirSync(closed), ['a'], 'the files on the host that cannot be written');
  },
  async 'INV-66.recursive-refused'(t) {
    const sandbox = await t.sandbox();
    const { PROPAGATION_HOST_TO_CONTAINER } = MountPropagation;
    const mount = { containerPath: AT, hostPath: t.directory, recursiveReadOnly: true };
    const wrong: readonly [string, Mount][] = [
      ['without readonly', mount],
      ['with propagation', { ...mount, readonly: true, propagation: PROPAGATION_HOST_TO_CONTAINER }],
    ];
    for (const [what, given] of wrong)
      await mustFail(t.start(sandbox, { mounts: [given] }), `recursive_read_only ${what}`);
  },
  async 'INV-66.recursive'(t) {
    // Hosts have another file system at /dev/shm.
    const mount = { containerPath: AT, hostPath: '/dev', readonly: true, recursiveReadOnly: true };
    const containerId = await t.start(await t.sandbox(), { mounts: [mount] });
    const file = `${AT}/shm/${t.name('file')}`;
    const code = await writing(t, containerId, file);
    if (code === '0\n') await output(t, containerId, `rm -f ${file}`);
    must(code !== '0\n', 'writing to a file system below the mount to fail', `exit code ${code}`);
    const { mounts } = await t.status(containerId);
    const shown = mounts.find(({ containerPath }) => containerPath === AT);
    mustEqual(shown?.recursiveReadOnly, true, 'recursive_read_only in the status');
  },
  async 'INV-66.image'(t) {
    const sandbox = await t.sandbox();
    const containerId = await withImage(t, sandbox);
    const [own, mounted] = (await output(t, containerId, `ls -d /bin/sh; ls -d ${AT}/bin/sh`)).split('\n');
    mustEqual(mounted, `${AT}${own}`, 'a file of the image below the mount');
    must((await writing(t, containerId, `${AT}/new`)) !== '0\n', 'writing into the image to fail', '0');
  },
  async 'INV-66.image-sub-path'(t) {
    const sandbox = await t.sandbox();
    await withImage(t, sandbox);
    const whole = imageMount(t);
    const part = await t.start(sandbox, { mounts: [{ ...whole, imageSubPath: 'bin' }] });
    mustEqual(await output(t, part, `ls -d ${AT}/sh`), `${AT}/sh\n`, 'a file of the directory');
    const missing = { mounts: [{ ...whole, imageSubPath: 'no/such/directory' }] };
    await mustFail(t.start(sandbox, missing), 'a container with an image_sub_path that does not exist');
  },
};
