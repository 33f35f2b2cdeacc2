import { describe, expect, it } from 'vitest';
import { serverRig } from '../../../../test/support/server-rig.js';

const image = 'registry.k8s.io/e2e-test-images/agnhost:2.53';

describe('agnhost', () => {
  it('liveness is well for ten seconds', async () => {
    const { start, fetch, clock } = serverRig({ image });
    await start('/agnhost liveness');
    expect(await fetch(8080, '/healthz')).toMatchObject({ code: 200, body: 'ok' });
    await clock.advance(10_500);
    expect(await fetch(8080, '/healthz')).toMatchObject({ code: 500, body: 'error: 10.5' });
    expect(await fetch(8080, '/started')).toMatchObject({ code: 200, body: '10.500s' });
  });

  it('netexec answers, runs commands and ends on demand', async () => {
    const { start, fetch } = serverRig({ image });
    const { process } = await start('/agnhost netexec --http-port=9090');
    expect(await fetch(9090, '/hostname')).toMatchObject({ code: 200, body: 'web-0' });
    expect(await fetch(9090, '/echo?msg=hi&code=201')).toMatchObject({ code: 201, body: 'hi' });
    expect((await fetch(9090, '/clientip')).body).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(JSON.parse((await fetch(9090, '/shell?shellCommand=echo%20a;exit%203')).body)).toEqual({
      error: 'exit status 3',
      output: 'a\n',
    });
    await fetch(9090, '/exit?code=4');
    expect(await process.exit).toEqual({ code: 4 });
  });

  it('serves its name', async () => {
    const { start, fetch } = serverRig({ image });
    await start('/agnhost serve-hostname --port 8000');
    expect((await fetch(8000, '/any')).body).toBe('web-0');
  });

  it.each([
    ['connect 127.0.0.1:1', { status: { code: 1 }, stdout: '', stderr: 'REFUSED\n' }],
    ['connect nowhere:80', { status: { code: 1 }, stdout: '', stderr: 'DNS\n' }],
    [
      'entrypoint-tester a b',
      { status: { code: 0 }, stdout: '[/agnhost entrypoint-tester a b]\n', stderr: '' },
    ],
  ])('%s', async (line, expected) => {
    expect(await serverRig({ image, view: { ips: [] } }).run(`/agnhost ${line}`)).toEqual(expected);
  });

  it('says what it lacks', async () => {
    const { status, stderr } = await serverRig({ image }).run('/agnhost guestbook');
    expect(status).toEqual({ code: 1 });
    expect(stderr).toContain('unknown command "guestbook" for "app"; simulated are: connect, ');
  });
});
