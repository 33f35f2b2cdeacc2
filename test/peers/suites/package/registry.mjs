// node registry.mjs TARBALL UPSTREAM: a registry that has one package, and sends requests for others on to a real one.
// Prints its URL.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [file, upstream] = process.argv.slice(2);
const tarball = readFileSync(file);
const manifest = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'));
const { name, version } = manifest;

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://registry');
  if (pathname === `/${name}.tgz`) return response.end(tarball);
  if (pathname !== `/${name}`) {
    return response.writeHead(302, { location: upstream.replace(/\/$/, '') + request.url }).end();
  }
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { integrity, tarball: `http://${request.headers.host}/${name}.tgz` };
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
    }),
  );
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
