import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { createRealClock } from '../../../src/clock/real-clock.js';

/** Until the client notes that it still waits, in ms: well after its deadline, well before the server's late answer. */
const PATIENCE = 500;

/**
 * Calls Version with a deadline of 100 ms and, unlike a gRPC client, neither gives up nor resets the stream. Resolves with
 * what it saw, in order: `still waiting`, `status CODE`.
 */
export async function callPatiently(endpoint: string): Promise<readonly string[]> {
  const session = connectHttp2('http://localhost', {
    createConnection: () => connectSocket(endpoint.replace('unix://', '')),
  });
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/runtime.v1.RuntimeService/Version',
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': '100m',
    });
    stream.end(Buffer.alloc(5));
    const seen: string[] = [];
    void createRealClock()
      .sleep(PATIENCE)
      .then(() => seen.push('still waiting'));
    const [headers] = await once(stream, 'response');
    return [...seen, `status ${headers['grpc-status']}`];
  } finally {
    session.destroy();
  }
}
