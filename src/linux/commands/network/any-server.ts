import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import type { Clock } from '../../../base/clock/clock.js';
import { encodeStatus, healthPath, NOT_SERVING, SERVING } from '../../../base/grpc-health/messages.js';
import { oneAtATime } from '../../../base/input/one-at-a-time.js';
import { answerCalls } from './grpc-server.js';
import { localhostKeys } from './localhost-certificate.js';

export interface Answers {
  status(path: string): number;
  isWell(): boolean;
}

const UNIMPLEMENTED = 12;
/** The first byte of a TLS record with a handshake (RFC 8446 section 5.1). */
const HANDSHAKE = 0x16;
/** The first bytes of an HTTP/2 client with prior knowledge (RFC 9113 section 3.4). */
const PREFACE = 'PRI';

/** Answers each client in its protocol: HTTP or gRPC's health protocol, with or without TLS; others get no reply. */
export function createAnyServer(clock: Clock, answers: Answers): (connection: Duplex) => void {
  const http = createServer(
    oneAtATime(({ url = '/' }, response) => {
      response.writeHead(answers.status(url.replace(/\?.*/, '')), { connection: 'close' }).end();
    }),
  );
  const http2 = createHttp2Server();
  answerCalls(clock, http2, async (path) =>
    path === healthPath('Check')
      ? { reply: encodeStatus(answers.isWell() ? SERVING : NOT_SERVING) }
      : { code: UNIMPLEMENTED, text: 'unimplemented' },
  );
  let tls: ReturnType<typeof createTlsServer> | undefined;
  const secure = () => {
    tls ??= createTlsServer({ ...localhostKeys(), ALPNProtocols: ['h2', 'http/1.1'] }, take).on(
      'tlsClientError',
      () => {},
    );
    return tls;
  };
  const take = (connection: Duplex): void => {
    connection.on('error', () => {});
    connection.once('readable', () => {
      const head: Buffer | null = connection.read();
      if (head === null) return void connection.end();
      connection.unshift(head);
      const server =
        head[0] === HANDSHAKE ? secure() : head.toString('latin1').startsWith(PREFACE) ? http2 : http;
      server.emit('connection', connection);
    });
  };
  return take;
}
