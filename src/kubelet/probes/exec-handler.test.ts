import { describe, expect, test } from 'vitest';
import { CallError } from '../../cri/client/call-error.js';
import { checkExec } from './handlers.js';

describe('exec', () => {
  const run = (
    reply: { exitCode: number; stdout: string; stderr: string } | Error,
    said: 'plain' | 'with-limit' = 'with-limit',
  ) =>
    checkExec(
      {
        execSync: async () => {
          if (reply instanceof Error) throw reply;
          return { ...reply, stdout: Buffer.from(reply.stdout), stderr: Buffer.from(reply.stderr) };
        },
      },
      'c1',
      ['cat', '"/my ready"'],
      5,
      new AbortController().signal,
      said,
    );

  test('is decided by the exit code', async () => {
    expect(await run({ exitCode: 0, stdout: 'ok\n', stderr: '' })).toEqual({
      result: 'success',
      output: 'ok',
    });
    expect(await run({ exitCode: 2, stdout: 'a\n', stderr: 'b\n' })).toEqual({
      result: 'failure',
      output: 'a\nb',
    });
  });

  test('that takes too long fails; any other error gives no result', async () => {
    expect(await run(new CallError(4, 'deadline exceeded'))).toEqual({
      result: 'failure',
      output: 'command timed out: "cat \\"/my ready\\"" timed out after 5s',
    });
    expect(await run(new CallError(4, 'deadline exceeded'), 'plain')).toEqual({
      result: 'failure',
      output: 'command "cat \\"/my ready\\"" timed out',
    });
    await expect(run(new CallError(2, 'no such container'))).rejects.toThrow(
      'rpc error: code = Unknown desc = no such container',
    );
  });

  test('keeps 10 KiB of the output', async () => {
    const { output } = await run({ exitCode: 1, stdout: 'x'.repeat(20_000), stderr: '' });
    expect(output).toHaveLength(10_240);
  });
});
