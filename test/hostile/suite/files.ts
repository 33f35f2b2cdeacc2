import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallError } from '../../../src/cri/client/call-error.js';
import type { Victim } from '../kit.js';
import type { Dice, Surface } from './surface.js';

const DEADLINE_EXCEEDED = 4;
const SECRET = 'not for containers';

/** A container's attempts at its mounts `/rw` and `/ro`. */
const scripts = [
  'cat /rw/out/secret',
  'cat /rw/../secret /ro/../../secret',
  'echo x > /rw/out/secret',
  'ln -sf /rw/out /rw/l; cat /rw/l/secret',
  'ln -sf ../../.. /rw/up; ls /rw/up/tmp; cat /rw/up/*/secret',
  'rm -rf /rw/out/secret /ro/file',
  'mv /rw/out /rw/moved; cat /rw/moved/secret; mv /rw/moved /rw/out',
  'chmod 777 /rw/out/secret /ro/file',
  'echo x > /ro/file',
  'touch /ro/new; mkdir /ro/d; ln -s / /ro/l; rm /ro/file',
  'cat /proc/self/root/../secret /proc/1/cwd/secret',
  'cat /rw/pipe & sleep 0.05',
  'echo x > /rw/pipe & sleep 0.05',
  'dd if=/rw/device of=/rw/copy bs=1 count=10',
  'cp -r /rw/out /tmp; cat /tmp/out/secret',
  'tar cf - /rw/out | tar xf - -C /tmp; cat /tmp/rw/out/secret',
  'cd /rw/out && cat secret',
  'find -L /rw -name secret -exec cat {} \\;',
] as const;

/** Mounts, logs and checkpoints: files outside a mount can't be read or changed, and special files never block. */
export const filesSurface: Surface = {
  name: 'files',
  open: async (victim, dice) => {
    const home = mkdtempSync(join(tmpdir(), 'mockri-hostile-'));
    const [rw, ro, out] = [join(home, 'rw'), join(home, 'ro'), join(home, 'outside')];
    for (const directory of [rw, ro, out]) mkdirSync(directory);
    writeFileSync(join(out, 'secret'), SECRET);
    writeFileSync(join(home, 'secret'), SECRET);
    writeFileSync(join(ro, 'file'), 'kept');
    symlinkSync(out, join(rw, 'out'));
    spawnSync('mkfifo', [join(rw, 'pipe')]);
    spawnSync('mkfifo', [join(home, 'pipe')]);
    symlinkSync('/dev/zero', join(rw, 'device'));
    const mounts = [
      { hostPath: rw, containerPath: '/rw' },
      { hostPath: ro, containerPath: '/ro', readonly: true },
    ];
    const { cri } = victim;
    return {
      batch: async () => {
        const containerId = await victim.container('sleep 100000', { mounts });
        const run = async (script: string) => {
          const call = cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 1n });
          // Waiting for the other end of a pipe may take a second.
          const { stdout } = await call.catch((error: CallError) => {
            if (error.code !== DEADLINE_EXCEEDED) throw error;
            return { stdout: Buffer.alloc(0) };
          });
          if (Buffer.from(stdout).includes(SECRET))
            throw new Error(`a container read a file outside: ${script}`);
        };
        const chosen = Array.from({ length: 20 }, () => dice.of(scripts));
        await Promise.all(chosen.map(run));
        const forged = await forge(victim, containerId, home, dice);
        await cri.removeContainer({ containerId });
        const kept = [join(out, 'secret'), join(home, 'secret')].every(
          (file) => readFileSync(file, 'utf8') === SECRET,
        );
        if (!kept || readdirSync(out).length !== 1 || readFileSync(join(ro, 'file'), 'utf8') !== 'kept')
          throw new Error('a container changed files outside its mounts, or in a read-only one');
        return chosen.length + forged;
      },
      close: () => rmSync(home, { recursive: true, force: true }),
    };
  },
};

/** File names chosen by clients: special files, forged ones, paths outside. Each call must return. */
async function forge(
  { cri, podSandboxId, pod }: Victim,
  containerId: string,
  home: string,
  dice: Dice,
): Promise<number> {
  const manifest = join(home, 'manifest.json');
  writeFileSync(
    manifest,
    dice.of(['{', '[]', '{"__proto__":{}}', `{"containers":[${'{},'.repeat(500)}{}]}`, '\0']),
  );
  const path = dice.of([
    manifest,
    join(home, 'pipe'),
    '/dev/zero',
    '/proc/self/mem',
    home,
    join(home, 'absent'),
    '/a\0b',
    '../x',
  ]);
  const container = (config: object) =>
    cri.createContainer({
      podSandboxId,
      sandboxConfig: pod,
      config: { metadata: { name: 'forged', attempt: 0 }, image: { image: 'busybox:1' }, ...config },
    });
  const seccomp = { profileType: 2, localhostRef: path };
  const made = async (config: object) => {
    const { containerId } = await container(config);
    await cri.removeContainer({ containerId });
  };
  const tried = [
    () => made({ logPath: dice.of(['../../../x', '/x', 'a/../../b', '.', 'a\0b', 'x'.repeat(5000)]) }),
    () => made({ linux: { securityContext: { seccomp } } }),
    () => made({ image: { image: path } }),
    () => made({ mounts: [{ hostPath: path, containerPath: '/x' }] }),
    () => cri.checkpointContainer({ containerId, location: join(path, 'x'), timeout: 1n }),
    () => cri.reopenContainerLog({ containerId }),
  ];
  for (const one of tried)
    await one().catch((error: CallError) => {
      if (error.details.startsWith('internal error')) throw error;
    });
  return tried.length;
}
