import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { connectCri } from '../../../src/cri/client/connect.js';
import { Code } from '../../../src/cri/status-code.js';

/** Of both calls, in ms. */
const DEADLINE = 100;

/**
 * Calls Version with a deadline and, unlike a gRPC client, neither gives up nor resets the stream. Once the server has
 * the call, a gRPC client makes the same one, so that its deadline is later. Resolves with the events in order:
 * `another client gave up`, `status CODE`.
 */
export async function callPatiently(endpoint: string): Promise<readonly string[]> {
  const session = connectHttp2('http://localhost', {
    createConnection: () => connectSocket(endpoint.replace('unix://', '')),
  });
  const cri = connectCri(endpoint);
  const seen: string[] = [];
  const givesUp = async () => {
    // The server answers a PING after it has read earlier bytes.
    await new Promise((resolve) => session.ping(resolve));
    await cri.version({}, { timeout: DEADLINE }).catch(({ code }) => {
      seen.push(code === Code.DEADLINE_EXCEEDED ? 'another client gave up' : `code ${code}`);
    });
  };
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/runtime.v1.RuntimeService/Version',
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': `${DEADLINE}m`,
    });
    stream.end(Buffer.alloc(5));
    const response = once(stream, 'response');
    const [[headers]] = await Promise.all([response, givesUp()]);
    return [...seen, `status ${headers['grpc-status']}`];
  } finally {
    session.destroy();
    cri.close();
  }
}
