// bare.ts SOCKET PATH FILE: a minimal grpc-js server: one handler with a prepared reply.
import { readFileSync } from 'node:fs';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';

const [socket = '', path = '', file = ''] = process.argv.slice(2);
const reply = readFileSync(file);
const same = (bytes: Buffer): Buffer => bytes;
const server = new Server({ 'grpc.max_send_message_length': -1 });
const answer: handleUnaryCall<Buffer, Buffer> = (_, callback) => callback(null, reply);
server.register(path, answer, same, same, 'unary');
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  console.log('ready');
});
process.on('SIGTERM', () => server.forceShutdown());
