/** usage: tsx web.ts PORT DIRECTORY: serves /bytes from the directory, and a short page at all other paths. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const [port, directory] = process.argv.slice(2);
createServer((request, response) => {
  if (request.url !== '/bytes') response.end('page\n');
  else createReadStream(join(directory ?? '.', 'bytes')).pipe(response);
}).listen(Number(port), '127.0.0.1');
