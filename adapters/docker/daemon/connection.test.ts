import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { eventually } from '../../../test/support/eventually.js';
import { connect } from './connection.js';
import { connectionHint } from './connection-hint.js';

const failure = (code: string, message: string): Error => Object.assign(new Error(message), { code });

it.each([
  [failure('EACCES', 'connect EACCES'), /no permission .* group docker/],
  [failure('ENOENT', 'connect ENOENT'), /the socket does not exist .* is dockerd running/],
  [failure('ECONNREFUSED', 'refused'), /nothing listens/],
  [failure('EPROTO', 'wrong version number'), /does not speak TLS/],
  [failure('UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify'), /ca\.pem .*\(unable to verify\)/],
  [failure('SELF_SIGNED_CERT_IN_CHAIN', 'self-signed'), /ca\.pem/],
  [failure('ERR_TLS_CERT_ALTNAME_INVALID', 'Host: localhost'), /another host \(Host: localhost\)/],
  [
    failure(
      'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
      '80CC:error:0A000418:ssl3_read_bytes:tlsv1 alert unknown ca:../a.c:1',
    ),
    /cert\.pem .*\(tlsv1 alert unknown ca\)/,
  ],
  [new Error('Client sent an HTTP request to an HTTPS server.'), /speaks TLS; .*--docker-cert-path/],
  [
    Object.assign(new Error('(HTTP code 404) unexpected - no page '), { statusCode: 404 }),
    /^HTTP status 404; is it Docker\? no page$/,
  ],
  [failure('EHOSTUNREACH', 'connect EHOSTUNREACH 10.0.0.1'), /^connect EHOSTUNREACH 10\.0\.0\.1$/],
])('explains what to do about %s', (error, hint) => {
  expect(connectionHint(error)).toMatch(hint);
});

it('gives up on a host that does not answer', async () => {
  const path = join(tmpdir(), `mockri-silent-docker-${process.pid}.sock`);
  const clock = createVirtualClock();
  let isAsked = false;
  const server = createServer((socket) => {
    isAsked = true;
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const refusal = clock
    .run(() => connect({ host: `unix://${path}` }, clock))
    .catch((error: unknown) => error);
  await eventually(() => isAsked).toBe(true);
  await clock.advance(10_000);
  expect(await refusal).toMatchObject({
    kind: 'unavailable',
    message: `Docker at unix://${path} does not answer: nothing came for 10 s`,
  });
  server.close();
});
