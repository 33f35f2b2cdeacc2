import { Writable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { clientOf } from '../../cri/client/in-process.js';
import { openRuntime } from '../assembly/origin.js';
import type { ExecSession, StreamingHandler } from '../engine/streaming.js';
import { statusOf } from '../server/status.js';
import { runtimeProfiles } from './index.js';

const close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const one of close.splice(0)) await one();
});

/** A running container on a profile, and how long what is executed in it takes, in seconds. */
async function container(profile: keyof typeof runtimeProfiles) {
  const clock = createVirtualClock();
  const backend = createMemoryBackend({ clock });
  let handler: StreamingHandler | undefined;
  let session: ExecSession | undefined;
  const origin = await openRuntime({
    backend,
    clock,
    profile: runtimeProfiles[profile],
    streaming: async (given) => {
      handler = given;
      const url = () => 'http://127.0.0.1:1/x';
      const execUrl = (asked: ExecSession) => {
        session = asked;
        return url();
      };
      const nothing = async () => {};
      return {
        address: url(),
        execUrl,
        attachUrl: url,
        portForwardUrl: url,
        useRules: nothing,
        hold: nothing,
        disconnectAll: nothing,
        suspend: nothing,
        resume: nothing,
        close: nothing,
      };
    },
  });
  close.push(() => origin.close());
  const cri = clientOf(origin.service, { clock, codeOf: (error) => statusOf(error, String).code });
  const within = async <T>(work: () => Promise<T>) => {
    const began = clock.elapsed();
    let took = -1;
    const done = clock.run(work).then(
      (value) => value,
      (error: { code?: number }) => `code ${error.code}`,
    );
    void done.then(() => {
      took = Math.round((clock.elapsed() - began) / 1000);
    });
    await clock.advance(400_000);
    return { took, answer: took < 0 ? 'none' : await done };
  };
  const made = await within(async () => {
    await cri.pullImage({ image: { image: 'busybox' } });
    const sandboxConfig = { metadata: { name: 'p', uid: 'u', namespace: 'd', attempt: 0 }, linux: {} };
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    const config = { metadata: { name: 'c' }, image: { image: 'busybox' }, command: ['sleep', '100000'] };
    const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.startContainer({ containerId });
    return containerId;
  });
  const containerId = String(made.answer);
  const sync = async (script: string, timeout = 0n) => {
    const { took, answer } = await within(() =>
      cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout }),
    );
    return `${took}: ${typeof answer === 'string' ? answer : String(answer.stdout)}`;
  };
  const stream = async (script: string) => {
    await cri.exec({ containerId, cmd: ['sh', '-c', script], stdout: true, stderr: true });
    let output = '';
    const stdout = new Writable({
      write: (chunk, _, done) => {
        output += String(chunk);
        done();
      },
    });
    const stderr = new Writable({ write: (_chunk, _encoding, done) => done() });
    const { took, answer } = await within(async () => {
      await handler?.exec(session as ExecSession, { stdout, stderr }, new AbortController().signal);
      return output;
    });
    return `${took}: ${answer}`;
  };
  return { sync, stream };
}

// containerd container_execsync.go: drainExecSyncIO waits for the end of both outputs, for as long as it takes.
test.each(['containerd-2.3', 'containerd-2.4', 'containerd-2.3', 'containerd-2.4'] as const)(
  '%s: an exec ends with the last process that holds one of its outputs, and its timeout ends the command alone',
  async (profile) => {
    const { sync, stream } = await container(profile);
    expect(await sync('echo hi; sleep 6 &', 2n)).toBe('6: hi\n');
    expect(await sync('(sleep 3; echo late) & echo hi')).toBe('3: hi\nlate\n');
    expect(await stream('(sleep 3; echo late) & echo hi')).toBe('3: hi\nlate\n');
    expect(await sync('sleep 9; true', 2n)).toBe('9: code 4');
    expect(await sync('sleep 9', 2n)).toBe('2: code 4');
    expect(await sync('sh -c "sleep 5 & echo in" | cat; sh -c "sh -c \\"sleep 7 &\\""')).toBe('12: in\n');
  },
);

test('containerd waits for who holds an output, not for who let go of both', async () => {
  const { sync } = await container('containerd-2.4');
  const none = '>/dev/null 2>&1';
  expect(await sync(`echo hi; sleep 6 ${none} &`)).toBe('0: hi\n');
  expect(await sync(`echo hi; (sleep 6; true) ${none} &`)).toBe('0: hi\n');
  expect(await sync(`echo hi; { sleep 6; true; } ${none} &`)).toBe('0: hi\n');
  expect(await sync(`echo hi; (exec ${none}; sleep 6; true) &`)).toBe('0: hi\n');
  expect(await sync('echo hi; sh -c "exec >/dev/null 2>/dev/null; sleep 6; true" &')).toBe('0: hi\n');
  expect(await sync(`echo hi; nohup setsid sleep 6 ${none} &`)).toBe('0: hi\n');
  // Standard error is an output, too.
  expect(await sync('echo hi; sleep 6 >/dev/null &')).toBe('6: hi\n');
  expect(await sync(`exec 3>&1; sleep 6 ${none} &`)).toBe('6: ');
  expect(await sync('sleep 6 & kill -9 $!')).toBe('0: ');
  expect(await sync('exec 3>&1; sh -c "echo third >&3"')).toBe('0: third\n');
});

// conmon.c: drain_stdio reads what is there; runtime_oci.go: Exec copies until the end of the pipes.
test('CRI-O: ExecSync ends with its command, Exec with its output', async () => {
  const { sync, stream } = await container('cri-o-1.36');
  expect(await sync('(sleep 3; echo late) & echo hi')).toBe('0: hi\n');
  expect(await stream('(sleep 3; echo late) & echo hi')).toBe('3: hi\nlate\n');
});

// moby daemon/monitor.go: after the end of an exec its streams are waited for, for two seconds.
test('cri-dockerd waits two seconds for the output', async () => {
  const { sync, stream } = await container('cri-dockerd-0.4');
  expect(await sync('(sleep 1; echo soon; sleep 2; echo late) & echo hi')).toBe('2: hi\nsoon\n');
  expect(await stream('(sleep 1; echo soon; sleep 2; echo late) & echo hi')).toBe('2: hi\nsoon\n');
});

test('strict: an exec ends with its command', async () => {
  const { sync, stream } = await container('strict');
  expect(await sync('(sleep 3; echo late) & echo hi')).toBe('0: hi\n');
  expect(await stream('(sleep 3; echo late) & echo hi')).toBe('0: hi\n');
});
