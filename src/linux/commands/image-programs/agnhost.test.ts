import { describe, expect, it, vi } from 'vitest';
import { serverRig } from '../../../../test/support/linux/listening-rig.js';

const image = 'registry.k8s.io/e2e-test-images/agnhost:2.53';

describe('agnhost', () => {
  it('liveness is well for ten seconds', async () => {
    const { start, fetch, clock } = serverRig({ image });
    await start('/agnhost liveness');
    expect(await fetch(8080, '/healthz')).toMatchObject({ code: 200, body: 'ok' });
    await clock.advance(10_500);
    expect(await fetch(8080, '/healthz')).toMatchObject({ code: 500, body: 'error: 10.5' });
    expect(await fetch(8080, '/started')).toMatchObject({ code: 200, body: '10.500s' });
    expect(await fetch(8080, '/redirect?loc=http://0.0.0.0/')).toMatchObject({
      code: 302,
      location: 'http://0.0.0.0/',
      body: '<a href="http://0.0.0.0/">Found</a>.\n\n',
    });
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

  it.each([
    ['netexec', 0, 0],
    ['netexec --delay-shutdown=7', 0, 7],
    ['pause', 2, 0],
    ['serve-hostname', 0, 60],
  ])('%s ends on SIGTERM with %i after %i s', async (command, code, seconds) => {
    const { start, clock } = serverRig({ image });
    const { process } = await start(`/agnhost ${command}`);
    const ended = vi.fn();
    process.exit.then(ended);
    process.container.kill(process.pid, 'TERM');
    if (seconds > 0) {
      await clock.advance(seconds * 1000 - 1);
      expect(ended).not.toHaveBeenCalled();
    }
    await clock.advance(1);
    expect(await process.exit).toEqual({ code });
  });

  it('pause says which signal has ended it, for the status of its container too', async () => {
    const { start, run } = serverRig({ image });
    const { process, output } = await start('/agnhost pause');
    process.container.kill(process.pid, 'INT');
    expect(await process.exit).toEqual({ code: 1 });
    expect(output.stdout).toBe('Paused\nSignals registered\nexiting because of signal "interrupt"\n');
    expect((await run('cat /dev/termination-log')).stdout).toBe('exiting because of signal "interrupt"\n');
  });

  it('netexec logs its requests, and asks other servers', async () => {
    // The cluster's address of the pod.
    const localAddress = (address: string) => (address === '10.64.0.1' ? '127.0.0.1' : address);
    const { start, fetch } = serverRig({ image, view: { ips: [] }, localAddress });
    const { output } = await start('/agnhost netexec');
    const dial = async (parameters: string) => fetch(8080, `/dial?host=10.64.0.1&${parameters}`);
    const { body } = await dial(`port=8080&request=echo%3Fmsg%3Dhi&tries=2`);
    expect(JSON.parse(body)).toEqual({ responses: ['hi', 'hi'] });
    expect(output.stderr).toMatch(/^\d{4}(\/\d\d){2} \d\d:\d\d:\d\d Started HTTP server on port 8080$/m);
    expect(output.stderr).toContain(
      `GET /dial?host=10.64.0.1&protocol=&port=8080&request=echo?msg=hi&tries=2\n`,
    );
    expect(output.stderr.match(/GET \/echo\?msg=hi&code=$/gm)).toHaveLength(2);
    expect((await dial('protocol=udp&request=x')).code).toBe(400);
    expect(JSON.parse((await dial('port=1&request=x')).body)).toEqual({
      errors: ['Get "http://10.64.0.1:1/x": Connection refused'],
    });
  });

  it('netexec answers over TLS with the certificate of its image', async () => {
    const { start, fetchSecurely } = serverRig({ image });
    await start('/agnhost netexec --tls-cert-file /localhost.crt --tls-private-key-file /localhost.key');
    expect(await fetchSecurely(8080, '/echo?msg=hi')).toMatchObject({ code: 200, body: 'hi' });
  });

  it.each([
    ['--tls-cert-file /localhost.crt', 'both --tls-cert-file and --tls-private-key-file must be set'],
    ['--tls-cert-file /none --tls-private-key-file /localhost.key', 'No such file or directory'],
    ['--tls-cert-file /etc/hosts --tls-private-key-file /localhost.key', 'no start line'],
  ])('netexec %s ends', async (flags, message) => {
    const { status, stderr } = await serverRig({ image }).run(`/agnhost netexec ${flags}`);
    expect(status).toEqual({ code: 1 });
    expect(stderr).toContain(message);
  });

  it.each([
    ['', undefined],
    [' --tls-cert-file=/localhost.crt --tls-private-key-file=/localhost.key', 'tls'],
  ])("speaks gRPC's health protocol%s", async (flags, secure) => {
    const { start, fetch, checkHealth, clock } = serverRig({ image });
    await start(`/agnhost grpc-health-checking --service app --delay-unhealthy-sec 10${flags}`);
    const check = (service: string) => checkHealth(5000, service, secure !== undefined);
    expect(await check('app')).toBe('SERVING');
    expect(await check('other')).toBe('NOT_FOUND: unknown service');
    await clock.advance(10_000);
    expect(await check('app')).toBe('NOT_SERVING');
    expect((await fetch(8080, '/make-serving')).code).toBe(200);
    expect(await check('app')).toBe('SERVING');
    await fetch(8080, '/make-not-serving');
    expect(await check('app')).toBe('NOT_SERVING');
  });

  it('fake-registry-server says that it is a registry', async () => {
    const { start, fetch } = serverRig({ image });
    await start('/agnhost fake-registry-server --private --port 5001');
    expect((await fetch(5001, '/v2/')).code).toBe(401);
    await start('/agnhost fake-registry-server');
    expect((await fetch(5000, '/v2/')).code).toBe(200);
    expect((await fetch(5000, '/v2/pause/manifests/testing')).code).toBe(404);
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
