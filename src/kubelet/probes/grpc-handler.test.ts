import { Server as GrpcServer, status as GrpcStatus, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { freePort, runOn } from '../../../test/support/kubelet/probe-targets.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { checkGrpc } from './grpc-handler.js';

describe('grpc', () => {
  type Reply = { code?: number; status?: number; never?: true };
  async function check(reply: Reply | undefined, service = '') {
    const clock = createVirtualClock();
    const asked: string[] = [];
    const port = reply === undefined ? await freePort() : await serve(reply, asked);
    const options = { clock, host: '127.0.0.1', port, service, timeout: 1000, userAgent: 'kube-probe/1.36' };
    const [{ result, output }, took] = await runOn(clock, () => checkGrpc(options));
    return { result, output: output.replaceAll(String(port), 'PORT'), took, asked };
  }

  async function serve({ code, status = 0, never }: Reply, asked: string[]): Promise<number> {
    const server = new GrpcServer();
    const method = {
      path: code === GrpcStatus.UNIMPLEMENTED ? '/other/Check' : '/grpc.health.v1.Health/Check',
      requestStream: false,
      responseStream: false,
      requestDeserialize: (bytes: Buffer) => ({ service: bytes.subarray(2).toString() }),
      requestSerialize: () => Buffer.alloc(0),
      responseSerialize: (value: number) => Buffer.from(value === 0 ? [] : [8, value]),
      responseDeserialize: (bytes: Buffer) => bytes,
    } as const;
    server.addService(
      { check: method },
      {
        check: (
          call: { request: { service: string } },
          callback: (error: object | null, value?: number) => void,
        ) => {
          asked.push(call.request.service);
          if (never) return;
          if (code === undefined) callback(null, status);
          else callback({ code, details: 'sorry' });
        },
      },
    );
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    onTestFinished(() => server.forceShutdown());
    return port;
  }

  test('SERVING is a success, for the requested service', async () => {
    expect(await check({ status: 1 }, 'db')).toEqual({
      result: 'success',
      output: 'service healthy',
      took: 0,
      asked: ['db'],
    });
  });

  test.each([
    [{ status: 2 }, 'service unhealthy (responded with "NOT_SERVING")', 0],
    [
      { code: GrpcStatus.UNIMPLEMENTED },
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): The server does not implement the method /grpc.health.v1.Health/Check',
      0,
    ],
    [
      { code: GrpcStatus.NOT_FOUND },
      'error: health rpc probe failed: rpc error: code = NotFound desc = sorry',
      0,
    ],
    [
      { code: GrpcStatus.CANCELLED },
      'error: health rpc probe failed: rpc error: code = Canceled desc = sorry',
      0,
    ],
    [{ code: GrpcStatus.DEADLINE_EXCEEDED }, 'timeout: health rpc did not complete within 1s', 0],
    [{ never: true as const }, 'timeout: health rpc did not complete within 1s', 1000],
    [
      undefined,
      'timeout: failed to connect service "127.0.0.1:PORT" within 1s: context deadline exceeded',
      1000,
    ],
  ])('%j is a failure: %s', async (reply, output, took) => {
    expect(await check(reply)).toMatchObject({ result: 'failure', output, took });
  });
});
