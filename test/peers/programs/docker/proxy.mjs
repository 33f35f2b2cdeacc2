// An HTTP proxy that answers for every host with the registry at the port given: so that Docker can be told to pull
// registry.k8s.io/… although nothing but 127.0.0.1 can be reached. Prints its own port.
import { createServer, request } from 'node:http';

const [port] = process.argv.slice(2).map(Number);
const proxy = createServer((incoming, outgoing) => {
  const { method, headers } = incoming;
  const path = incoming.url.replace(/^http:\/\/[^/]+/, '');
  const forwarded = request({ host: '127.0.0.1', port, method, path, headers }, (reply) => {
    outgoing.writeHead(reply.statusCode, reply.headers);
    reply.pipe(outgoing);
  });
  forwarded.on('error', () => outgoing.destroy());
  incoming.pipe(forwarded);
});
// Refused, so that Docker goes on to plain HTTP.
proxy.on('connect', (_request, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port));
