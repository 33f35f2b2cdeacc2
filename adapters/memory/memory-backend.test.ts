import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { packagePath } from '../../src/base/input/package-path.js';
import type { CommandTable } from '../../src/linux/commands/programs.js';
import {
  createTestNode,
  type TestNode,
  type TestNodeOptions,
} from '../../test/support/runtime/memory-node.js';
import { useTemporaryDirectories } from '../../test/support/temporary.js';

const temporary = useTemporaryDirectories();
let node: TestNode;

afterEach(() => node.runtime.close());

const start = async (options: TestNodeOptions = {}) => {
  node = await createTestNode({ commands, ...options });
  return node;
};

const commands: CommandTable = {
  run: async (process) => {
    await process.sleep(1e12);
    return { code: 0 };
  },
  exit: async ({ argv }) => ({ code: Number(argv[1]) }),
  say: async ({ argv, stdout, stderr }) => {
    await stdout.write(Buffer.from(`${argv[1]}\n`));
    await stderr.write(Buffer.from(`${argv[2]}\n`));
    return { code: 0 };
  },
  tick: async (process) => {
    for (let count = 1; ; count++) {
      await process.stdout.write(Buffer.from(`${count}\n`));
      await process.sleep(1000);
    }
  },
  parent: async (process) => {
    const child = process.spawn({ argv: ['run'], program: commands.run as never });
    return process.clock.idle(child.exit);
  },
  work: async (process) => {
    process.allocate(50 * 2 ** 20);
    for (;;) {
      await process.compute(50);
      await process.sleep(50);
    }
  },
  count: async (process) => ({ code: process.container.ownProcesses().length }),
  env: async (process) => {
    await process.stdout.write(
      Buffer.from(`${process.env.get('WORD')} in ${process.cwd} as ${process.user.uid}`),
    );
    return { code: 0 };
  },
};

const annotated = (text: string) => ({
  metadata: { name: 'app', attempt: 0 },
  annotations: { 'behavior.mockri.dev/app': text },
});

it('has the version of the package', async () => {
  const { cri } = await start();
  const { version } = JSON.parse(await readFile(packagePath('package.json'), 'utf8'));
  expect(await cri.version({})).toMatchObject({ runtimeName: 'mockri', runtimeVersion: version });
});

describe('behaviors', () => {
  it('ends after its time with its code', async () => {
    const { container, clock, state } = await start();
    const id = await container(annotated('exit=3,after=2s'));
    await clock.advance(1990);
    expect(await state(id)).toBe('RUNNING');
    await clock.advance(20);
    expect(await state(id)).toBe('EXITED 3 Error');
  });

  it('says OOMKilled with 137', async () => {
    const { container, clock, state } = await start();
    const id = await container(annotated('oom,after=1m'));
    await clock.advance(61_000);
    expect(await state(id)).toBe('EXITED 137 OOMKilled');
  });

  it('ends by the stop signal unless it ignores it', async () => {
    const { container, call, cri, clock, state } = await start();
    const mild = await container(annotated('run'));
    await call(() => cri.stopContainer({ containerId: mild, timeout: 30n }));
    expect(await state(mild)).toBe('EXITED 143 Error');
    const stubborn = await container({ ...annotated('ignore=TERM'), metadata: { name: 'app', attempt: 1 } });
    const before = clock.elapsed();
    await call(() => cri.stopContainer({ containerId: stubborn, timeout: 30n }));
    expect(await state(stubborn)).toBe('EXITED 137 Error');
    expect(clock.elapsed() - before).toBe(30_000);
  });

  it('takes its time on TERM, and a second stop with a shorter grace cuts it off', async () => {
    const { container, call, cri, clock, state, runtime } = await start();
    const id = await container(annotated('on-term=exit:0,after:30s'));
    const slow = clock.run(() => cri.stopContainer({ containerId: id, timeout: 60n }));
    await clock.advance(1000);
    await call(() => cri.stopContainer({ containerId: id, timeout: 2n }));
    await slow;
    expect(clock.elapsed()).toBeLessThan(5000);
    expect(await state(id)).toBe('EXITED 137 Error');
    expect(runtime.counts).toBeDefined();
  });

  it('counts attempts', async () => {
    const { container, clock, state } = await start();
    const behavior = { annotations: { 'behavior.mockri.dev/app': 'exit=1;run' } };
    const first = await container({ ...behavior, metadata: { name: 'app', attempt: 0 } });
    const second = await container({ ...behavior, metadata: { name: 'app', attempt: 1 } });
    await clock.advance(10);
    expect([await state(first), await state(second)]).toEqual(['EXITED 1 Error', 'RUNNING']);
  });

  it('fails to start, with the text given', async () => {
    const { container, call, cri, state } = await start();
    const id = await container(annotated('start-fails=no space left'), false);
    await expect(call(() => cri.startContainer({ containerId: id }))).rejects.toThrow(/no space left/);
    expect(await state(id)).toBe('EXITED 128 StartError');
  });

  it('starts late, and answers execs as configured', async () => {
    const { container, call, cri, clock } = await start();
    const before = clock.elapsed();
    const id = await container(annotated('start-delay=10s,exec-exit=7,from=5s'));
    expect(clock.elapsed() - before).toBe(10_000);
    const exec = () => call(() => cri.execSync({ containerId: id, cmd: ['exit', '0'] }));
    expect(await exec()).toMatchObject({ exitCode: 0 });
    await clock.advance(5000);
    expect(await exec()).toMatchObject({ exitCode: 7 });
  });

  it('prefers a rule of the server, and refuses an annotation that it cannot read', async () => {
    const { container, clock, state } = await start({
      behaviors: [{ match: { image: 'busy*' }, behaviors: [{ exit: 9 }] }],
    });
    const id = await container(annotated('run'));
    await clock.advance(10);
    expect(await state(id)).toBe('EXITED 9 Error');
    await start();
    await expect(node.container(annotated('exti=1'))).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/annotation behavior\.mockri\.dev\/app.*did you mean "exit"/),
    });
  });

  it('serves http on the address of the pod', async () => {
    const { container, cri, podSandboxId, clock } = await start({ machinePorts: 'all' });
    await container(annotated('ready-after=5s,http=18080:/healthz:204'));
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    const get = (path: string) => fetch(`http://${status?.network?.ip}:18080${path}`);
    expect((await get('/healthz')).status).toBe(503);
    await clock.advance(5000);
    expect((await get('/healthz?x')).status).toBe(204);
    expect((await get('/other')).status).toBe(404);
  });
});

describe('processes', () => {
  it('runs the command with its environment, directory and user', async () => {
    const { container, call, cri } = await start();
    const id = await container({
      command: ['run'],
      envs: [{ key: 'WORD', value: Buffer.from('hello') }],
      workingDir: '/tmp',
      linux: { securityContext: { runAsUser: { value: 1000n } } },
    });
    const { stdout } = await call(() => cri.execSync({ containerId: id, cmd: ['env'] }));
    expect(String(stdout)).toBe('hello in /tmp as 1000');
  });

  it('refuses a command that is not there', async () => {
    const { container, call, cri, state } = await start();
    const id = await container({ command: ['nosuch'] }, false);
    await expect(call(() => cri.startContainer({ containerId: id }))).rejects.toThrow(
      'exec: "nosuch": executable file not found in $PATH',
    );
    expect(await state(id)).toBe('EXITED 128 StartError');
  });

  it('kills all that an exec started when its time is over', async () => {
    const { container, call, cri } = await start();
    const id = await container({ command: ['run'] });
    const late = call(() => cri.execSync({ containerId: id, cmd: ['parent'], timeout: 5n }));
    await expect(late).rejects.toMatchObject({ kind: 'timeout' });
    expect(await call(() => cri.execSync({ containerId: id, cmd: ['count'] }))).toMatchObject({
      exitCode: 2,
    });
  });

  it('reports an injected exit once', async () => {
    const { container, runtime, state } = await start();
    const id = await container({ command: ['run'] });
    await runtime.exitContainer(id, { exitCode: 5, reason: 'OOMKilled' });
    expect(await state(id)).toBe('EXITED 5 OOMKilled');
    await expect(runtime.exitContainer(id, { exitCode: 6 })).rejects.toMatchObject({ kind: 'wrong-state' });
  });
});

describe('logs', () => {
  const read = (file: string) => readFile(file, 'utf8');

  it('writes CRI lines, whole before the exit is seen', async () => {
    const logDirectory = temporary();
    const { container, clock, state } = await start({ pod: { logDirectory } });
    const id = await container({ command: ['say', 'hello', 'oops'], logPath: 'deep/0.log' });
    await clock.advance(1);
    expect(await state(id)).toBe('EXITED 0 Completed');
    const time = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{9}\\S+';
    expect(await read(join(logDirectory, 'deep/0.log'))).toMatch(
      new RegExp(`^${time} stdout F hello\\n${time} stderr F oops\\n$`),
    );
  });

  it('continues in a new file after ReopenContainerLog', async () => {
    const logDirectory = temporary();
    const { container, clock, call, cri } = await start({ pod: { logDirectory } });
    const id = await container({ command: ['tick'], logPath: '0.log' });
    await clock.advance(1500);
    await rename(join(logDirectory, '0.log'), join(logDirectory, '1.log'));
    await call(() => cri.reopenContainerLog({ containerId: id }));
    await clock.advance(1000);
    const contents = async (name: string) =>
      (await read(join(logDirectory, name))).match(/\d+(?=\n)/g)?.map(Number);
    expect(await contents('1.log')).toEqual([1, 2]);
    expect(await contents('0.log')).toEqual([3]);
  });
});

describe('limits and usage', () => {
  it('changes only the limits that are given', async () => {
    const { container, call, cri, status } = await start();
    const resources = { cpuShares: 512n, memoryLimitInBytes: 67_108_864n };
    const id = await container({ command: ['run'], linux: { resources } });
    await call(() => cri.updateContainerResources({ containerId: id, linux: { cpuQuota: 5000n } }));
    expect((await status(id)).resources?.linux).toMatchObject({ ...resources, cpuQuota: 5000n });
  });

  it('has used no more CPU time than has passed since its start', async () => {
    const { container, cri, clock } = await start();
    const id = await container({ command: ['run'] });
    const used = async () => {
      const { stats } = await cri.listPodSandboxStats({});
      const linux = stats[0]?.linux;
      const own = linux?.containers.find(({ attributes }) => attributes?.id === id);
      return [own, linux].map((one) => Number(one?.cpu?.usageCoreNanoSeconds?.value) / 1e6);
    };
    expect(await used()).toEqual([0, 0]);
    await clock.advance(5);
    expect(await used()).toEqual([5, 10]);
    await clock.advance(1000);
    expect(await used()).toEqual([20, 40]);
  });

  it('uses what its processes use: CPU by those that work, memory by those that hold it; the pod has the sum', async () => {
    const { container, cri, clock } = await start();
    const idle = await container({ command: ['run'] });
    const busy = await container({ command: ['work'], metadata: { name: 'busy', attempt: 0 } });
    const look = async () => {
      const { stats } = await cri.listPodSandboxStats({});
      const { cpu, memory, containers = [] } = stats[0]?.linux ?? {};
      const of = (id?: string) => containers.find(({ attributes }) => attributes?.id === id);
      return [of(idle), of(busy), { cpu, memory }].map((one) => ({
        cpu: Number(one?.cpu?.usageCoreNanoSeconds?.value) / 1e9,
        rate: Number(one?.cpu?.usageNanoCores?.value) / 1e9,
        mebibytes: Number(one?.memory?.workingSetBytes?.value) / 2 ** 20,
      }));
    };
    const before = await look();
    await clock.advance(10_000);
    const after = await look();
    const grown = after.map(({ cpu }, index) => cpu - (before[index]?.cpu ?? 0));
    expect(grown.map(Math.round)).toEqual([0, 5, 5]);
    expect(after.map(({ rate }) => Math.round(rate * 10))).toEqual([0, 5, 5]);
    expect(after.map(({ mebibytes }) => Math.floor(mebibytes))).toEqual([0, 50, 51]);
  });

  it('has the metrics that kubelet asks for, each with its labels', async () => {
    const { container, cri } = await start();
    const id = await container({ command: ['run'] });
    const { descriptors } = await cri.listMetricDescriptors();
    const { podMetrics } = await cri.listPodSandboxMetrics();
    expect(descriptors).toHaveLength(56);
    const metrics = [
      ...(podMetrics[0]?.metrics ?? []),
      ...(podMetrics[0]?.containerMetrics[0]?.metrics ?? []),
    ];
    expect(podMetrics[0]?.containerMetrics[0]?.containerId).toBe(id);
    expect(new Set(metrics.map(({ name }) => name))).toEqual(new Set(descriptors.map(({ name }) => name)));
    for (const { help, labelKeys } of descriptors)
      expect([help !== '', labelKeys.length > 2]).toEqual([true, true]);
  });
});

describe('checkpoints', () => {
  it('are archives with what readers of them look for', async () => {
    const location = join(temporary(), 'app.tar');
    const { container, call, cri } = await start();
    const containerId = await container(annotated('run'));
    await call(() => cri.checkpointContainer({ containerId, location, timeout: 10n }));
    const listed = execFileSync('tar', ['-tf', location], { encoding: 'utf8' });
    expect(listed.split('\n').slice(0, 3)).toEqual(['config.dump', 'spec.dump', 'checkpoint/inventory.img']);
  });

  it('continues a behavior at the time of the checkpoint', async () => {
    const outputPath = join(temporary(), 'pod');
    await mkdir(outputPath);
    const { container, call, cri, clock, state, podSandboxId } = await start();
    const config = annotated('exit=4,after=60s');
    const original = await container(config);
    await clock.advance(40_000);
    const deadline = clock.now() + 60_000_000_000n;
    await call(() => cri.checkpointPod({ podSandboxId, outputPath, containerIds: [original] }, { deadline }));
    const request = {
      checkpointPath: outputPath,
      config: { metadata: { name: 'copy', uid: 'v', namespace: 'default', attempt: 0 } },
      containerConfigs: [{ ...config, image: { image: 'busybox:1' } }],
    };
    const { restoredContainers } = await call(() => cri.restorePod(request, { deadline }));
    const restored = restoredContainers[0]?.containerId ?? '';
    await clock.advance(5000);
    await call(() => cri.startContainer({ containerId: restored }));
    await clock.advance(10_000);
    expect(await state(restored)).toBe('RUNNING');
    await clock.advance(11_000);
    expect(await state(restored)).toBe('EXITED 4 Error');
  });
});
