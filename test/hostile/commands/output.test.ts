import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGzip, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

// Commands that read what others wrote: a tape, a server that only claims to be one.

const temporary = useTemporaryDirectories();
const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) server.close().closeAllConnections();
  servers.clear();
});

async function mockri(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--max-old-space-size=700', ...commandLine(...args)], {
    env: { ...process.env, FORCE_COLOR: '1' },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.add(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const EVIL = '\u001b]52;c;cm0gLXJm\u0007\u009b31m\u202e\r';
/** What a terminal would obey; colors of Mockri itself are none of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const COMMANDS = /\u001b(?!\[\d+m)|[\u0007\r\u009b\u202e]/;

const HEADER = {
  t: 0,
  kind: 'header',
  version: 1,
  startedAt: '1',
  clock: 'real',
  recorder: EVIL,
  redacted: [],
};
const tapeOf = (...lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

it.each([['--flat'], ['--json'], []])(
  'tape show %s prints no control characters of a tape',
  async (...how) => {
    const file = join(temporary(), 'evil.tape');
    const pod = { id: 'p', name: `${EVIL}\nfake line`, namespace: EVIL, uid: 'u' };
    writeFileSync(
      file,
      tapeOf(
        HEADER,
        { t: 1, kind: 'log', from: 'kubelet', text: EVIL },
        { t: 2, kind: 'sandbox', what: 'ready', pod },
        { t: 3, kind: 'image', image: EVIL, what: 'pulled' },
      ),
    );
    const { code, stdout } = await mockri('tape', 'show', file, ...how);
    expect([code, stdout.match(COMMANDS)]).toEqual([0, null]);
    expect(stdout).toContain('\\u001b]52;c;');
    expect(stdout).not.toMatch(/^fake line/m);
    if (how[0] === '--json')
      expect(
        stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toContainEqual(expect.objectContaining({ kind: 'image', image: EVIL }));
  },
);

it('watch, fault and errors print no control characters from a server', async () => {
  const call = {
    sequence: 1,
    method: 'RunPodSandbox',
    peer: EVIL,
    connection: 1,
    image: EVIL,
    code: 'NOT_FOUND',
    details: `${EVIL}\nfake line`,
    subject: { pod: { id: 'p', name: EVIL, namespace: EVIL } },
    startedAt: '1',
    duration: 1,
    messages: 1,
    faults: [EVIL],
  };
  const counts = { seen: 0, matched: 0, applied: 0, shadowed: 0 };
  const rule = { name: EVIL, source: EVIL, spec: { then: { hang: {} } }, ...counts };
  const control = await serve(({ url }, response) => {
    if (url?.startsWith('/v1/events')) {
      response.write(`event: call\ndata: ${JSON.stringify(call)}\n\n`);
      response.end();
    } else if (url === '/v1/reset') response.writeHead(500).end(JSON.stringify({ detail: EVIL }));
    else response.end(JSON.stringify({ faults: [rule], nodes: [EVIL] }));
  });
  for (const args of [
    ['watch'],
    ['fault', 'reset'],
    ['fault', 'ls'],
    ['fault', 'node', 'NodeDown', '--node', 'x'],
    ['fault', 'add', 'Version=1*error(UNAVAILABLE)'],
  ]) {
    const { stdout, stderr } = await mockri(...args, '--control', control);
    expect([args, (stdout + stderr).match(COMMANDS)]).toEqual([args, null]);
    expect(stdout + stderr).toContain('\\u001b]52;c;');
    expect(stdout).not.toMatch(/^fake line/m);
  }
});

it.each([
  ['an answer without end', 'fault', '{"faults": [', /sends more than 16777216 bytes/],
  ['an answer that is not JSON', 'fault', 'x', /does not send a JSON object/],
  ['another JSON', 'fault', '[]', /sent an unexpected reply \(answer: /],
  ['a message without end', 'watch', 'data: ', /sends a message of more than 33554432 characters/],
] as const)('reads %s of a server that is none to a limit', async (what, command, begin, error) => {
  const isEndless = what.includes('without end');
  const control = await serve((_, response) => {
    response.write(begin);
    const more = Buffer.alloc(1024 * 1024, '[],');
    const send = () => {
      while (!response.destroyed && response.write(more));
    };
    if (!isEndless) return void response.end();
    response.on('drain', send);
    send();
  });
  const args = command === 'fault' ? ['fault', 'ls'] : ['watch'];
  const { code, stderr } = await mockri(...args, '--control', control);
  expect([code, stderr]).toEqual([1, expect.stringMatching(error)]);
  expect(stderr).not.toContain('    at ');
});

it('tape show refuses a tape that exceeds memory, with a hint', async () => {
  const file = join(temporary(), 'many.tape.gz');
  const gzip = createGzip();
  const parts: Buffer[] = [gzipSync(tapeOf(HEADER))];
  gzip.on('data', (part: Buffer) => parts.push(part));
  const lines = Buffer.from(tapeOf({ t: 1, kind: 'log', from: 'kubelet', text: 'x' }).repeat(100_000));
  for (let n = 0; n < 11; n++) gzip.write(lines);
  gzip.end();
  await once(gzip, 'end');
  writeFileSync(file, Buffer.concat(parts));
  const { code, stderr } = await mockri('tape', 'show', file);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/too long to be shown by pod.*--flat/)]);
});

it.each([
  ['a date of 23 digits', { ...HEADER, startedAt: '1'.repeat(23) }, /startedAt: expected Unix nanoseconds/],
] as const)('tape show refuses a header with %s', async (_, header, error) => {
  const file = join(temporary(), 'header.tape');
  writeFileSync(file, tapeOf(header));
  const { code, stderr } = await mockri('tape', 'show', file);
  expect([code, stderr]).toEqual([2, expect.stringMatching(error)]);
  expect(stderr).not.toContain('    at ');
});
