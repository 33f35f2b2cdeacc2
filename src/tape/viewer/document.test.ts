import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fillPage } from './document.js';

const PAGE = '<title>%TITLE%</title><meta content="connect-src %CONNECT%"><script>%ABOUT%</script>%TAPES%';

test('fills in data so that no part of it is read as HTML', () => {
  const evil = `</script><img src=x onerror="alert('1')">`;
  const page = fillPage(PAGE, {
    about: { title: evil, why: `${evil} %TAPES% $&` },
    tapes: [{ name: evil, bytes: Buffer.from(evil) }],
  });
  expect(page.match(/<[a-z/]+/g)).toEqual([
    '<title',
    '</title',
    '<meta',
    '<script',
    '</script',
    '<script',
    '</script',
  ]);
  const [, about = ''] = /<script>(.*?)<\/script>/.exec(page) ?? [];
  expect(JSON.parse(about)).toEqual({ title: evil, why: `${evil} %TAPES% $&` });
  const [, base64 = ''] = /data-name="[^"]*">(.*?)<\/script>/.exec(page) ?? [];
  expect(gunzipSync(Buffer.from(base64, 'base64')).toString()).toBe(evil);
});

test('takes a compressed tape as it is, and lets only a live page connect to its server', () => {
  const bytes = gzipSync('tape');
  expect(fillPage(PAGE, { about: {}, tapes: [{ name: 'a', bytes }] })).toContain(bytes.toString('base64'));
  expect(fillPage(PAGE, { about: {}, tapes: [] })).toContain("connect-src 'none'");
  expect(fillPage(PAGE, { about: { live: true }, tapes: [] })).toContain("connect-src 'self'");
});
