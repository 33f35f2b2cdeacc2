import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createRig } from '../../../../test/support/linux/command-rig.js';
import { sampleOf } from '../../../../test/support/thorough.js';
import { NODE } from '../../../base/clock/network/loopback.js';
import type { OpenFile } from '../../fs/file-system.js';
import type { Program } from '../../process/process.js';
import { forever } from '../kit/io.js';
import { plain, serveHttp } from './http-server.js';

const server = createServer((request, response) => {
  const { url = '', method } = request;
  if (url === '/moved') response.writeHead(302, { location: '/page' }).end();
  else if (url === '/echo') {
    response.writeHead(200, { 'x-method': method });
    request.pipe(response);
  } else if (url === '/page') response.writeHead(200, { 'content-type': 'text/plain' }).end('a page\n');
  else response.writeHead(404).end('nothing\n');
});
const base = '127.0.0.1:8080';

/** A pod in the node's network, where a server listens. */
function rig(options: Parameters<typeof createRig>[0] = {}) {
  const made = createRig({ view: { ips: [] }, ...options });
  made.clock.loopback.listen(NODE, 8080, (connection) => server.emit('connection', connection));
  return made;
}

/** A simulated server that takes a minute for every answer. */
async function slowServer() {
  const slow: Program = async (process) => {
    await serveHttp(process, 80, async () => {
      await process.sleep(60_000);
      return plain(200, 'late');
    });
    return forever(process);
  };
  const made = rig({ programs: { slow } });
  await made.start('slow');
  return { ...made, address: '127.0.0.1' };
}

/** A simulated server whose answer has a gigabyte. */
async function largeServer() {
  const file = { read: async (length: number) => Buffer.alloc(length), close: async () => {} } as OpenFile;
  const large: Program = async (process) => {
    await serveHttp(process, 80, async () => ({ code: 200, body: { file, size: 1024 ** 3 } }));
    return forever(process);
  };
  const made = rig({ programs: { large } });
  await made.start('large');
  return { ...made, address: '127.0.0.1' };
}

it.each(sampleOf(['wget -q -O /dev/null', 'curl -s -o /dev/null'], 1))(
  'is killed for its memory: %s',
  async (command) => {
    const { run, address } = await largeServer();
    expect((await run(`${command} http://${address}/`)).status).toMatchObject({ signal: 'KILL' });
  },
);

it.each([
  ['curl -s', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['wget -q -O -', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
  ['curl -s -X CONNECT', 'HTTP/1.1 200 OK\r\n\r\n'],
])('%s ends when the server switches protocols', async (command, answer) => {
  const made = rig();
  made.clock.loopback.listen(NODE, 81, (connection) => connection.write(answer));
  const { status } = await made.run(`${command} http://127.0.0.1:81/`);
  expect(status).not.toMatchObject({ code: 0 });
});

/** A port where nobody listens. */
const CLOSED = '127.0.0.1:1';

describe('wget', () => {
  it('prints or saves what it gets', async () => {
    const { run } = rig();
    expect(await run(`wget -q -O - http://${base}/page`)).toEqual({
      status: { code: 0 },
      stdout: 'a page\n',
      stderr: '',
    });
    const { stderr } = await run(`wget -P /tmp http://${base}/page`);
    expect(stderr).toContain(`Connecting to ${base} (${base})\npage                 100% |`);
    expect((await run('cat /tmp/page')).stdout).toBe('a page\n');
  });

  it('follows redirections and posts', async () => {
    const { run } = rig();
    expect((await run(`wget -qO- ${base}/moved`)).stdout).toBe('a page\n');
    expect((await run(`wget -qO- --post-data=a=1 ${base}/echo`)).stdout).toBe('a=1');
  });

  it.each([
    ['/none', 'wget: server returned error: HTTP/1.1 404 Not Found\n'],
    ['!', `wget: can't connect to remote host (127.0.0.1): Connection refused\n`],
    ['nowhere', "wget: bad address 'nowhere'\n"],
    ['https://x', 'wget: not an http or ftp url: https://x\n'],
  ])('says what went wrong with %s', async (target, stderr) => {
    const url = target === '!' ? CLOSED : target.startsWith('/') ? `${base}${target}` : target;
    expect(await rig().run(`wget -q -O - ${url}`)).toEqual({ status: { code: 1 }, stdout: '', stderr });
  });

  it('gives up after its time', async () => {
    const { run, clock, address } = await slowServer();
    const began = clock.elapsed();
    expect((await run(`wget -q -T 5 ${address}`)).stderr).toBe('wget: download timed out\n');
    expect(clock.elapsed() - began).toBe(5000);
  });
});

describe('curl', () => {
  it.each([
    ['-s /page', 'a page\n'],
    ['-s -o /dev/null -w %{http_code} /page', '200'],
    ['-s -o /dev/null -w %{http_code}\\n /moved', '302\n'],
    ['-s -o /dev/null -w a%{constructor}%{toString}%{__proto__}z /page', 'az'],
    ['-sL /moved', 'a page\n'],
    ['-s -d a=1 -d b=2 /echo', 'a=1&b=2'],
    ['-s /none', 'nothing\n'],
  ])('curl %s', async (line, stdout) => {
    const command = `curl ${line.replace(/ (?=\/(page|moved|echo|none)$)/, ` ${base}`)}`;
    expect(await rig().run(command)).toEqual({ status: { code: 0 }, stdout, stderr: '' });
  });

  it('shows headers', async () => {
    const { stdout } = await rig().run(`curl -sI ${base}/page`);
    expect(stdout).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-type: text\/plain\r\n[\s\S]*\r\n\r\n$/);
  });

  it.each([
    ['/none', 22, 'curl: (22) The requested URL returned error: 404\n'],
    ['!', 7, 'curl: (7) Failed to connect to 127.0.0.1 port 1: Connection refused\n'],
    ['nowhere', 6, 'curl: (6) Could not resolve host: nowhere\n'],
  ])('ends on %s with %i', async (target, code, stderr) => {
    const url = target === '!' ? CLOSED : target.startsWith('/') ? `${base}${target}` : target;
    expect(await rig().run(`curl -sSf -m 2 ${url}`)).toEqual({ status: { code }, stdout: '', stderr });
  });
});

it('curl gives up after its time, and gets what comes before', async () => {
  const { run, address } = await slowServer();
  expect(await run(`curl -sS -m 2 ${address}`)).toEqual({
    status: { code: 28 },
    stdout: '',
    stderr: 'curl: (28) Operation timed out after 2000 milliseconds with 0 bytes received\n',
  });
  expect((await run(`curl -s -m 61 -w %{time_total} ${address}`)).stdout).toBe('late60.000000');
});

describe('nc', () => {
  it('tries a port', async () => {
    const { run } = rig();
    const [host, port] = base.split(':');
    expect((await run(`nc -z ${host} ${port}`)).status).toEqual({ code: 0 });
    expect((await run(`nc -zv ${host} ${port}`)).stderr).toBe(`${host} (${base}) open\n`);
    expect((await run('nc -z 127.0.0.1 1')).status).toEqual({ code: 1 });
    expect((await run('nc 127.0.0.1 1')).stderr).toContain(
      "can't connect to remote host (127.0.0.1): Connection refused",
    );
  });

  it('joins two processes', async () => {
    const { run, start } = rig();
    const listening = await start('nc -l -p 9000');
    await run(`nc 127.0.0.1 9000`, 'a message\n');
    expect(await listening.process.exit).toEqual({ code: 0 });
    expect(listening.output.stdout).toBe('a message\n');
  });

  it('serves with a program, again and again', async () => {
    const { run, start } = rig();
    await start('nc -lk -p 9000 -e cat');
    expect((await run(`nc 127.0.0.1 9000`, 'one')).stdout).toBe('one');
    expect((await run(`nc 127.0.0.1 9000`, 'two')).stdout).toBe('two');
  });
});

describe('nslookup', () => {
  const files = { '/etc/hosts': '127.0.0.1 localhost\n127.64.0.9 db db.local # a database\n' };

  it('answers from /etc/hosts', async () => {
    const { run } = rig({ files });
    expect((await run('nslookup db')).stdout).toBe(
      'Server:\t\t10.10.10.10\nAddress:\t10.10.10.10:53\n\nName:\tdb\nAddress: 127.64.0.9\n\n',
    );
  });

  it('knows nothing else', async () => {
    const { status, stdout } = await rig({ files }).run('nslookup example.com');
    expect(status).toEqual({ code: 1 });
    expect(stdout).toContain("** server can't find example.com: NXDOMAIN\n");
  });
});
