import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ContainerConfig, type Mount } from '../../../src/cri/gen/runtime/v1/api.js';
import { HostDisk } from '../../../src/linux/fs/node-disk.js';
import { createRoots } from '../../../src/linux/fs/rootfs.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { prepareMounts } from './prepare-mounts.js';

describe('what a container mounts', () => {
  const temporary = useTemporaryDirectories();
  let host: string;
  beforeEach(async () => {
    host = temporary();
  });

  const root = createRoots(['sh'])(undefined);
  const prepare = (mount: { hostPath?: string; image?: { image: string }; imageSubPath?: string }) => {
    const config = ContainerConfig.fromPartial({ mounts: [{ containerPath: '/m', ...mount } as Mount] });
    return prepareMounts({ config }, new HostDisk(), (name) => (name === 'busybox' ? root : undefined));
  };

  it('becomes a directory on the host if it does not exist', async () => {
    await prepare({ hostPath: join(host, 'new/deep') });
    expect((await stat(join(host, 'new/deep'))).isDirectory()).toBe(true);
    await writeFile(join(host, 'file'), '');
    await prepare({ hostPath: join(host, 'file') });
    await expect(prepare({ hostPath: join(host, 'file/below') })).rejects.toThrow(
      `mount at "/m": host path "${host}/file/below": Not a directory`,
    );
  });

  it('must be in the image', async () => {
    await prepare({ image: { image: 'busybox' }, imageSubPath: 'etc/passwd' });
    await expect(prepare({ image: { image: 'busybox' }, imageSubPath: 'no/such' })).rejects.toThrow(
      'image "busybox" has no path "no/such"',
    );
    await expect(prepare({ image: { image: 'other' } })).rejects.toMatchObject({ kind: 'not-found' });
  });
});
