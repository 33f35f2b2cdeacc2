/**
 * Prints, in hex, what npm's spdy-transport writes for a fixed set of frames. It is no dependency: install
 * spdy-transport@3.0.0 in a directory of its own, and run this there.
 */
import { createRequire } from 'node:module';

const { protocol, Window } = createRequire(`${process.cwd()}/`)('spdy-transport');
const { framer: Framer, compressionPool } = protocol.spdy;
const size = { size: 65_536, max: 65_536 };
const framer = new Framer({ window: new Window({ id: 0, isServer: true, recv: size, send: size }) });
framer.setCompression(compressionPool.create({}).get(3.1));
framer.setVersion(3.1);
const parts = [];
framer.on('data', (chunk) => parts.push(chunk));

const headers = { streamtype: 'error' };
const frames = [
  ['requestFrame', { id: 1, path: '/', method: 'POST', host: 'h', headers, priority: {} }],
  ['responseFrame', { id: 1, status: 200, reason: 'OK', headers: { a: 'b' } }],
  ['headersFrame', { id: 1, headers: { 'x-one': '1' } }],
  ['dataFrame', { id: 1, priority: 0, fin: true, data: Buffer.from('hello') }],
  ['pingFrame', { opaque: Buffer.from([0, 0, 0, 0, 0, 0, 0, 9]), ack: false }],
  ['rstFrame', { id: 1, code: 'CANCEL' }],
  ['goawayFrame', { lastId: 1, code: 'OK' }],
];
for (const [name, frame] of frames)
  await new Promise((resolve, reject) => framer[name](frame, (error) => (error ? reject(error) : resolve())));
await new Promise((resolve) => setImmediate(resolve));
console.log(Buffer.concat(parts).toString('hex'));
