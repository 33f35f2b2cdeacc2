import { Server as GrpcServer, status as GrpcStatus, ServerCredentials } from '@grpc/grpc-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dialer, listen, runOn, TARGET } from '../../../test/support/kubelet/probe-targets.js';
import { checkGrpc } from './grpc-handler.js';

describe('grpc', () => {
  type Reply = { code?: number; status?: number; never?: true };
  async function check(reply: Reply | undefined, service = '') {
    const by = dialer();
    const asked: string[] = [];
    if (reply !== undefined) {
      const injector = serve(reply, asked).createConnectionInjector(ServerCredentials.createInsecure());
      listen(by, { emit: (_, socket) => injector.injectConnection(socket) === undefined });
    }
    const options = { ...by, host: TARGET, port: 80, service, timeout: 1000, userAgent: 'kube-probe/1.36' };
    const [{ result, output }, took] = await runOn(by.clock, () => checkGrpc(options));
    return { result, output, took, asked };
  }

  function serve({ code, status = 0, never }: Reply, asked: string[]): GrpcServer {
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
    onTestFinished(() => server.forceShutdown());
    return server;
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
      'timeout: failed to connect service "127.64.0.1:80" within 1s: context deadline exceeded',
      1000,
    ],
  ])('%j is a failure: %s', async (reply, output, took) => {
    expect(await check(reply)).toMatchObject({ result: 'failure', output, took });
  });
});
