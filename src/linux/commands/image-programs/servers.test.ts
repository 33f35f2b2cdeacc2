import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';
import { serverRig } from '../../../../test/support/linux/listening-rig.js';
import { useTemporaryDirectories } from '../../../../test/support/temporary.js';
import type { ByteSink, Program } from '../../process/process.js';
import { httpdPrograms } from './httpd.js';
import { nginxPrograms } from './nginx.js';

const makeDirectory = useTemporaryDirectories();

describe('nginx', () => {
  const image = 'nginx';

  it('serves its page, logs the access and ends on TERM', async () => {
    const { start, fetch } = serverRig({ image });
    const { process, output } = await start(['nginx', '-g', 'daemon off;']);
    const reply = await fetch(80, '/');
    expect(reply).toMatchObject({ code: 200, type: 'text/html' });
    expect(reply.body).toContain('Welcome to nginx!');
    expect((await fetch(80, '/none?x=1')).code).toBe(404);
    expect(output.stdout).toMatch(
      /^127\.0\.0\.1 - - \[21\/Nov\/2026:07:11:05 \+0000\] "GET \/ HTTP\/1\.1" 200 \d+ "-" "-" "-"\n/,
    );
    expect(output.stdout).toContain('"GET /none?x=1 HTTP/1.1" 404');
    process.container.kill(process.pid, 'TERM');
    expect(await process.exit).toEqual({ code: 0 });
    await expect(fetch(80, '/')).rejects.toThrow('ECONNREFUSED');
  });

  it('is a master and a worker, with a pid file', async () => {
    const { start, run } = serverRig({ image });
    const { process } = await start('nginx');
    expect((await run('pidof nginx')).stdout).toBe('3 2\n');
    expect((await run('ps -o args')).stdout).toContain(
      'nginx: master process nginx\nnginx: worker process\n',
    );
    expect((await process.fs.readFile('/var/run/nginx.pid')).toString()).toBe('2\n');
  });

  it('does what a mounted configuration says', async () => {
    const files = {
      '/etc/nginx/conf.d/default.conf': `
        # a site
        server {
          listen 8080 default_server; listen [::]:8081;
          location = /healthz { return 200 "fine; {really}"; }
          location /old { return 301 /new; }
          location ~* \\.txt$ { root /srv; }
          location ^~ /files/ { alias /srv/; }
          location / { return 503; }
        }`,
      '/srv/a.txt': 'alpha',
    };
    const { start, fetch } = serverRig({ image, files });
    await start('nginx');
    expect(await fetch(8080, '/healthz')).toMatchObject({ code: 200, body: 'fine; {really}' });
    expect(await fetch(8081, '/old/page')).toMatchObject({ code: 301, location: '/new' });
    expect(await fetch(8080, '/a.TXT')).toMatchObject({ code: 404 });
    expect(await fetch(8080, '/a.txt')).toMatchObject({ code: 200, type: 'text/plain', body: 'alpha' });
    expect(await fetch(8080, '/files/a.txt')).toMatchObject({ code: 200, body: 'alpha' });
    expect(await fetch(8080, '/other')).toMatchObject({ code: 503 });
    expect(await fetch(8080, '/healthz', 'HEAD')).toMatchObject({ code: 200, body: '' });
  });

  it.each([
    ['http { server { listen 80 } }', 'unexpected "}"'],
    ['http { server { listen 80; }', 'unexpected end of file, expecting ";" or "}"'],
  ])('refuses %s', async (text, reason) => {
    const { run } = serverRig({ image, files: { '/etc/nginx/nginx.conf': text } });
    const { status, stderr } = await run('nginx');
    expect(status).toEqual({ code: 1 });
    expect(stderr).toBe(`nginx: [emerg] ${reason} in /etc/nginx/nginx.conf\n`);
  });

  it('answers 200 for others, whose answers nobody knows, and says so', async () => {
    const text = `http { server { listen 8080; location / { rewrite ^/a /b; proxy_pass http://b; } location /own { return 204; } } }
      stream { server { listen 5432; proxy_pass db:5432; } }`;
    const { fetch, start } = serverRig({ image, files: { '/etc/nginx/nginx.conf': text } });
    const { output } = await start('nginx');
    expect(await fetch(8080, '/any')).toMatchObject({ code: 200 });
    expect(await fetch(8080, '/own')).toMatchObject({ code: 204 });
    expect(await fetch(5432, '/')).toMatchObject({ code: 200 });
    expect(output.stderr).toBe(
      'nginx: [warn] not simulated in /etc/nginx/nginx.conf: proxy_pass (answers 200), rewrite\n',
    );
  });

  it('names the port that it could not open, and continues', async () => {
    const rig = createRig({ image, listen: () => Promise.reject(new Error('listen EADDRINUSE')) });
    const { process, output } = await rig.start('nginx');
    expect(output.stderr).toContain("can't listen on port 80: listen EADDRINUSE");
    expect(process.killed.aborted).toBe(false);
  });
});

describe('httpd', () => {
  it('serves its page and notes what it does', async () => {
    const { start, fetch } = serverRig({ image: 'httpd' });
    const { process, output } = await start('httpd-foreground');
    expect(await fetch(80, '/')).toMatchObject({ code: 200, type: 'text/html' });
    expect(output.stdout).toContain('"GET / HTTP/1.1" 200 ');
    expect(output.stderr).toContain('using 127.64.0.1. Set');
    expect(output.stderr).toContain('AH00489: Apache/2.4.39 (Unix) configured -- resuming normal operations');
    process.container.kill(process.pid, 'TERM');
    expect(await process.exit).toEqual({ code: 0 });
    expect(output.stderr).toContain('AH00491: caught SIGTERM, shutting down');
  });
});

describe('pause', () => {
  it.each([
    ['TERM', 'Terminated'],
    ['INT', 'Interrupt'],
  ])('ends on %s with code 0', async (signal, description) => {
    const { start } = serverRig({ image: 'registry.k8s.io/pause:3.9' });
    const { process, output } = await start('/pause');
    process.container.kill(process.pid, signal);
    expect(await process.exit).toEqual({ code: 0 });
    expect(output.stderr).toBe(`Shutting down, got signal: ${description}\n`);
  });
});

/** A standard output whose reader takes nothing: each write waits for its process's end. */
function stuckSink() {
  let written = () => {};
  const isWriting = new Promise<void>((resolve) => {
    written = resolve;
  });
  const sink: ByteSink = {
    write: (_, signal) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        written();
      }),
    end: () => {},
  };
  return { sink, isWriting };
}

const opened = (path: string): boolean =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === path;
    } catch {
      return false;
    }
  });

it.runIf(process.platform === 'linux').each([
  { image: 'nginx', program: nginxPrograms.nginx as Program, root: '/usr/share/nginx/html' },
  { image: 'httpd', program: httpdPrograms['apache-httpd'] as Program, root: '/usr/local/apache2/htdocs' },
])(
  '$image closes the file of its answer when it is killed while it logs',
  async ({ image, program, root }) => {
    const hostPath = makeDirectory();
    const page = join(hostPath, 'page.txt');
    writeFileSync(page, 'a page\n');
    const { sink, isWriting } = stuckSink();
    const server: Program = (process) => process.exec({ argv: [image], program, stdout: sink });
    const mounts = [{ containerPath: root, hostPath }];
    const { clock, start, fetch } = serverRig({ image, mounts, programs: { server } });
    const { process } = await start('server');
    const reply = fetch(80, '/page.txt').catch((error: Error) => error.message);
    await isWriting;
    process.container.kill(process.pid, 'KILL');
    expect(await reply).toBe('socket hang up');
    await clock.settle();
    expect(opened(page)).toBe(false);
  },
);
