import { expect, test } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';

const LONG = `deep/${'x'.repeat(120)}.txt`;

test('an archive has files, directories and links again', async () => {
  const rig = createRig();
  const run = async (line: string) => {
    const { stdout, stderr, status } = await rig.run(['sh', '-c', line]);
    return { stdout, stderr, code: status.code };
  };
  await run(`cd /tmp; mkdir -p a/deep b; echo hello >a/one; chmod 750 a/one; ln -s one a/link; : >a/empty`);
  await run(`cd /tmp; seq 1000 >a/${LONG}`);
  expect(await run('cd /tmp; tar cf - a | tar -xmf - -C b')).toEqual({ stdout: '', stderr: '', code: 0 });
  expect((await run(`cd /tmp/b/a; cat one; readlink link; stat -c %a one; wc -l <${LONG}; ls`)).stdout).toBe(
    'hello\none\n750\n1000\ndeep\nempty\nlink\none\n',
  );
  expect((await run('cd /tmp; tar -cf t.tar a/one a/link; tar tf t.tar')).stdout).toBe('a/one\na/link\n');
  expect((await run('cd /tmp; tar xOf t.tar a/one')).stdout).toBe('hello\n');
  expect(await run('cd /tmp; tar cf /dev/null /tmp/a/one')).toMatchObject({
    stderr: "tar: removing leading '/' from member names\n",
    code: 0,
  });
});

test('what is no archive, or a part of one, is refused', async () => {
  const { run } = createRig();
  expect(await run(['tar', 'xf', '-'], 'x'.repeat(512))).toMatchObject({
    stderr: 'tar: invalid tar magic\n',
  });
  expect(await run(['tar', 'xf', '-'], 'x')).toMatchObject({
    stderr: 'tar: short read\n',
    status: { code: 1 },
  });
  expect(await run('tar f x')).toMatchObject({ status: { code: 1 } });
  expect(await run('tar cf - none')).toMatchObject({ status: { code: 1 } });
});
