import { beforeEach, describe, expect, it } from 'vitest';
import {
  createEngineRig,
  type EngineRig,
  image,
  kind,
  sandboxConfig,
} from '../../../../test/support/runtime/engine-rig.js';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';
import { ExecSyncResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { ExecSession, StreamingHandler, StreamingServer } from '../streaming.js';

let clock: VirtualClock;
let cri: EngineRig['cri'];
let podSandboxId: string;
let containerId: string;
let handler: StreamingHandler;
let session: ExecSession | undefined;

const streaming = async (given: StreamingHandler): Promise<StreamingServer> => {
  handler = given;
  return {
    address: 'http://127.0.0.1:1',
    execUrl: (asked) => {
      session = asked;
      return 'exec';
    },
    attachUrl: () => 'attach',
    portForwardUrl: ({ ports }) => `forward ${ports.join()}`,
    useRules: () => {},
    hold: () => {},
    disconnectAll: () => {},
    suspend: async () => {},
    resume: async () => {},
    close: async () => {},
  };
};

beforeEach(async () => {
  const rig = await createEngineRig({ streaming });
  ({ clock, cri } = rig);
  podSandboxId = await rig.pod();
  const config = { metadata: { name: 'app' }, image, command: ['sleep', '3600'], tty: true };
  ({ containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig: sandboxConfig() }));
  await cri.startContainer({ containerId });
});

describe('ExecSync', () => {
  it('answers output and exit code', async () => {
    const echo = await cri.execSync({ containerId, cmd: ['echo', 'hello'] });
    expect([String(echo.stdout), echo.stderr.length, echo.exitCode]).toEqual(['hello', 0, 0]);
    expect((await cri.execSync({ containerId, cmd: ['exit', '7'] })).exitCode).toBe(7);
  });

  it('cuts the output so that the reply is a message of 16 MiB at most', async () => {
    const reply = await cri.execSync({ containerId, cmd: ['fill', String(17 << 20)] });
    const size = ExecSyncResponse.encode(reply).finish().length;
    expect(size).toBeLessThanOrEqual(16 << 20);
    expect(size).toBeGreaterThan((16 << 20) - 100);
  });

  it('ends at its timeout, on the clock', async () => {
    const executing = clock.run(() => cri.execSync({ containerId, cmd: ['sleep', '4321'], timeout: 1n }));
    const refused = expect(executing).rejects.toMatchObject({
      kind: 'timeout',
      message: /timeout 1s exceeded/,
    });
    await clock.advance(1000);
    await refused;
    expect(clock.elapsed()).toBe(1000);
  });

  it('ends when its client goes', async () => {
    const client = new AbortController();
    const cmd = ['sleep', '4321'];
    const executing = clock.run(() => cri.execSync({ containerId, cmd }, { signal: client.signal }));
    client.abort();
    await expect(executing).rejects.toEqual(kind('cancelled'));
  });

  it('refuses an empty command and a negative timeout', async () => {
    await expect(cri.execSync({ containerId })).rejects.toThrow('cmd is empty');
    await expect(cri.execSync({ containerId, cmd: ['a'], timeout: -1n })).rejects.toEqual(kind('invalid'));
  });
});

describe('streaming requests', () => {
  it('get a URL for the full id', async () => {
    const asked = { containerId: containerId.slice(0, 8), cmd: ['sh'], stdout: true, tty: true };
    expect(await cri.exec(asked)).toEqual({ url: 'exec' });
    expect(session).toMatchObject({ containerId, command: ['sh'], tty: true });
    expect(await cri.attach({ containerId, stdin: true, tty: true })).toEqual({ url: 'attach' });
    expect(await cri.portForward({ podSandboxId, port: [80] })).toEqual({ url: 'forward 80' });
    const ports = Array.from({ length: 257 }, (_, index) => index + 1);
    expect(await cri.portForward({ podSandboxId, port: ports.slice(1) })).toEqual({
      url: `forward ${ports.slice(1).join()}`,
    });
    await expect(cri.portForward({ podSandboxId, port: ports })).rejects.toMatchObject({
      kind: 'invalid',
      message: '257 ports; at most 256 can be forwarded with one call',
    });
  });

  it('are checked with the texts of the streaming library', async () => {
    const cmd = ['sh'];
    await expect(cri.exec({ cmd, stdout: true })).rejects.toThrow('missing required container_id');
    await expect(cri.attach({ stdout: true })).rejects.toThrow('missing required container_id');
    await expect(cri.portForward({})).rejects.toThrow('missing required pod_sandbox_id');
    await expect(cri.exec({ containerId, cmd })).rejects.toThrow(
      'one of stdin, stdout, or stderr must be set',
    );
    await expect(cri.exec({ containerId, cmd, tty: true, stdout: true, stderr: true })).rejects.toThrow(
      'tty and stderr cannot both be true',
    );
    await expect(cri.attach({ containerId, stdout: true })).rejects.toThrow('was created with true');
    await expect(cri.portForward({ podSandboxId, port: [0] })).rejects.toThrow('port 0 is out of range');
    await cri.stopContainer({ containerId });
    await expect(cri.exec({ containerId, cmd, stdout: true })).rejects.toEqual(kind('wrong-state'));
  });

  it('look at the state again when the stream comes', async () => {
    const streams = {};
    const asked = {
      containerId,
      command: ['exit', '3'],
      stdin: false,
      stdout: true,
      stderr: false,
      tty: false,
    };
    const { signal } = new AbortController();
    expect(await handler.exec(asked, streams, signal)).toBe(3);
    await cri.stopContainer({ containerId });
    await expect(handler.exec(asked, streams, signal)).rejects.toEqual(kind('wrong-state'));
  });

  it('are UNIMPLEMENTED without a streaming server', async () => {
    const { cri: plain, pod } = await createEngineRig();
    const other = { podSandboxId: await pod(), port: [] };
    await expect(plain.portForward(other)).rejects.toEqual(kind('unsupported'));
  });
});
