import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

it("a plugin's output is not mistaken for the ready line of the server", async () => {
  const directory = temporary();
  const plugins = join(directory, 'plugins');
  const plugin = join(plugins, '10-loud');
  mkdirSync(plugins);
  writeFileSync(plugin, `#!/bin/sh\necho '{"control":"http://elsewhere"}'\n`);
  chmodSync(plugin, 0o755);
  const { control } = await startVictim(directory, ['--nri-plugin', plugins]);
  expect(control).toBeNull();
});

it.each([
  ['a pipe without a writer', 'a pipe', (file: string) => execFileSync('mkfifo', [file])],
  ['a device without an end', 'a device', (file: string) => symlinkSync('/dev/zero', file)],
])('the configuration of a plugin is %s: the server reports it and exits', async (_, what, make) => {
  const plugins = join(temporary(), 'plugins');
  mkdirSync(join(plugins, 'conf.d'), { recursive: true });
  writeFileSync(join(plugins, '10-a'), '#!/bin/sh\n', { mode: 0o755 });
  make(join(plugins, 'conf.d', 'a.conf'));
  await expect(startVictim(temporary(), ['--nri-plugin', plugins])).rejects.toThrow(
    `a.conf: it can't be read: it is ${what}`,
  );
});

it('a link to itself in the directory of plugins is not a plugin', async () => {
  const plugins = temporary();
  symlinkSync('10-loop', join(plugins, '10-loop'));
  const { control } = await startVictim(temporary(), ['--nri-plugin', plugins]);
  expect(control).toBeNull();
});

it.each([
  ['a missing directory of plugins', ['--nri-plugin', '/nowhere/plugins'], 1],
  ['a socket for plugins that cannot be created', ['--nri-socket', '/nowhere/nri.sock'], 1],
])('with %s, the server exits', async (_, flags, code) => {
  await expect(startVictim(temporary(), flags)).rejects.toThrow(
    new RegExp(`^exit ${code}: mockri: .*/nowhere`),
  );
});
