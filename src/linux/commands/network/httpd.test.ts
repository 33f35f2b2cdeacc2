import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';
import { serverRig } from '../../../../test/support/linux/listening-rig.js';

const files = { '/tmp/healthz': 'ok\n' };

it('serves files in the background once it listens', async () => {
  const { run, fetch, start } = serverRig({ files });
  await run('mkdir /tmp/docs');
  await run('cp /tmp/healthz /tmp/docs/index.html');
  expect(await run('httpd -p 8080 -h /tmp')).toMatchObject({ status: { code: 0 }, stdout: '', stderr: '' });
  expect(await fetch(8080, '/healthz')).toMatchObject({ code: 200, body: 'ok\n' });
  expect(await fetch(8080, '/docs/')).toMatchObject({ code: 200, body: 'ok\n' });
  expect(await fetch(8080, '/docs')).toMatchObject({ code: 302, location: '/docs/' });
  expect(await fetch(8080, '/nope')).toMatchObject({
    code: 404,
    body: '<HTML><HEAD><TITLE>404 Not Found</TITLE></HEAD>\n<BODY><H1>404 Not Found</H1>\nThe requested URL was not found\n</BODY></HTML>\n',
  });
  expect(await fetch(8080, '/')).toMatchObject({ code: 404 });
  await run('touch /tmp/x.constructor');
  expect(await fetch(8080, '/x.constructor')).toMatchObject({ code: 200, type: 'application/octet-stream' });
  expect(await fetch(8080, '/healthz', 'POST')).toMatchObject({ code: 501 });
  const { output } = await start('killall httpd');
  expect(output.stderr).toBe('');
});

it('reads a file as its client takes it, whatever its size', async () => {
  const { run, fetch, connect } = serverRig();
  await run('truncate -s 32M /tmp/large');
  await run('httpd -p 8080 -h /tmp');
  expect(await fetch(8080, '/large', 'HEAD')).toMatchObject({ code: 200, size: 32 * 1024 ** 2 });
  const before = process.memoryUsage().arrayBuffers;
  const readers = Array.from({ length: 16 }, () => connect(8080));
  for (const reader of readers) reader.write('GET /large HTTP/1.1\r\n\r\n'.repeat(2));
  await Promise.all(readers.map((reader) => once(reader, 'readable')));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 ** 2);
  for (const reader of readers) reader.destroy();
});

it('stays in the foreground with -f', async () => {
  const { start, fetch } = serverRig({ files });
  const { process } = await start('httpd -f -p 8080 -h /tmp');
  expect(await fetch(8080, '/healthz')).toMatchObject({ code: 200 });
  expect(process.killed.aborted).toBe(false);
});

it.each([
  ['httpd -p abc', "bad address 'abc'"],
  ['httpd -h /none', "can't change directory to '/none': No such file or directory"],
  ['httpd -p 80 -h /tmp', 'bind: Address already in use'],
  ['httpd -f -p 80 -h /tmp', 'bind: Address already in use'],
])('says why it can’t: %s', async (command, reason) => {
  const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE' });
  const { run } = createRig({ files, listen: () => Promise.reject(taken) });
  expect(await run(command)).toMatchObject({ status: { code: 1 }, stderr: `httpd: ${reason}\n` });
});
