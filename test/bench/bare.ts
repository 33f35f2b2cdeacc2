// bare.ts SOCKET FILE: a minimal grpc-js server with prepared replies. FILE has a `Prepared` as JSON.
import { readFileSync } from 'node:fs';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
} from '@grpc/grpc-js';

/** Messages in base64. */
export interface Prepared {
  /** By the path of a unary call. */
  readonly replies: Readonly<Record<string, string>>;
  /** A message that every subscriber of `path` gets, as many times as `of` says for a call. */
  readonly event?: {
    readonly path: string;
    readonly message: string;
    readonly of: Readonly<Record<string, number>>;
  };
}

const [socket = '', file = ''] = process.argv.slice(2);
const { replies, event }: Prepared = JSON.parse(readFileSync(file, 'utf8'));
const same = (bytes: Buffer): Buffer => bytes;
const server = new Server({ 'grpc.max_send_message_length': -1 });
const subscribers = new Set<ServerWritableStream<Buffer, Buffer>>();
const message = Buffer.from(event?.message ?? '', 'base64');
for (const [path, text] of Object.entries(replies)) {
  const reply = Buffer.from(text, 'base64');
  const events = event?.of[path] ?? 0;
  const answer: handleUnaryCall<Buffer, Buffer> = (_, callback) => {
    for (let index = 0; index < events; index++)
      for (const subscriber of subscribers) subscriber.write(message);
    callback(null, reply);
  };
  server.register(path, answer, same, same, 'unary');
}
if (event !== undefined) {
  const subscribe: handleServerStreamingCall<Buffer, Buffer> = (call) => {
    subscribers.add(call);
    call.on('cancelled', () => subscribers.delete(call));
  };
  server.register(event.path, subscribe, same, same, 'serverStream');
}
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  console.log('ready');
});
process.on('SIGTERM', () => server.forceShutdown());
