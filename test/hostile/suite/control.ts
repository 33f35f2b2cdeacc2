import { Agent, type ClientRequest, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { Dice, Surface } from './surface.js';

const BATCH = 200;

const paths = [
  '/v1/state',
  '/v1/calls',
  '/v1/calls?limit=1&limit=2',
  '/v1/calls?method=__proto__',
  '/v1/faults',
  '/v1/faults/__proto__',
  '/v1/containers/x/exit',
  '/v1/containers/%00/exit',
  '/v1/containers/%ff/exit',
  '/v1/clock',
  '/v1/tape',
  '/metrics',
  '/../../etc/passwd',
  '/%2e%2e/%2e%2e/etc/passwd',
  '//etc/passwd',
  '/v1/../../etc/shadow',
  '/constructor',
  'http://evil.example/v1/state',
  '*',
] as const;
const hosts = [
  'localhost',
  '127.0.0.1',
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  '[::1]',
  '0x7f.1',
  '2130706433',
  '',
  'localhost:99999',
] as const;
const foreign = /evil|nip|0x7f|2130706433/;
const origins = [
  undefined,
  'http://evil.example',
  'null',
  'http://localhost.evil.example',
  'file://',
] as const;
const sites = [undefined, undefined, 'none', 'cross-site'] as const;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE'] as const;

// Rules match Status, because the suite measures the latency of Version.
const RULE = '{"match":{"method":"Status"},"then":{"delay":"1ms"},"when":{"times":1}}';
const bodies: readonly (string | Buffer)[] = [
  '',
  RULE,
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"match":{"__proto__":{"method":"Status"}},"then":{"__proto__":{"hang":{}}}}',
  '['.repeat(5000),
  `{"a":${'{"b":'.repeat(500)}`,
  gzipSync(Buffer.alloc(10_000_000)),
  `"${'x'.repeat(100_000)}"`,
  '{"exitCode":1e999}',
  '\ud800',
  Buffer.from([0xff, 0xfe, 0, 1]),
];

/** Requests to the control API. None may get a 500; with a foreign Host or Origin, at least a 400. */
export const controlSurface: Surface = {
  name: 'control',
  open: async ({ control }, dice) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const url = new URL(control ?? '');
    return {
      batch: async () => {
        await Promise.all(Array.from({ length: BATCH }, () => ask(url, agent, dice)));
        for (const { name } of await rules(control))
          await fetch(`${control}/v1/faults/${name}`, { method: 'DELETE' });
        return BATCH;
      },
      close: () => agent.destroy(),
    };
  },
};

async function rules(control: string | null): Promise<readonly { readonly name: string }[]> {
  return ((await (await fetch(`${control}/v1/faults`)).json()) as { faults: { name: string }[] }).faults;
}

function ask(url: URL, agent: Agent, dice: Dice): Promise<void> {
  const body = dice.of(bodies);
  const changed = dice.below(3) === 0 ? dice.mutate(Buffer.from(body)) : body;
  const [path, method, host, origin] = [dice.of(paths), dice.of(methods), dice.of(hosts), dice.of(origins)];
  const site = dice.of(sites);
  // It would write a file.
  if (path === '/v1/tape' && method === 'POST') return Promise.resolve();
  const headers = {
    host,
    ...(origin && { origin }),
    ...(site && { 'sec-fetch-site': site }),
    ...(dice.below(4) === 0 && { 'content-encoding': 'gzip' }),
    ...(dice.below(4) === 0 && { 'last-event-id': dice.of(['1', '-1', '9'.repeat(40), '__proto__']) }),
    ...(dice.below(9) === 0 && { 'x-long': 'x'.repeat(dice.below(20_000)) }),
    ...(dice.below(2) === 0 && {
      'content-type': dice.of(['application/json', 'text/html', 'a/b;'.repeat(50)]),
    }),
  };
  return new Promise((resolve, reject) => {
    const call: ClientRequest = request(
      { host: url.hostname, port: url.port, path, method, headers, agent, timeout: 5000 },
      (response) => {
        response.resume().once('close', resolve);
        const { statusCode = 0 } = response;
        const isForeign = foreign.test(host) || origin !== undefined || site === 'cross-site';
        if (statusCode === 500 || (isForeign && statusCode < 400))
          reject(new Error(`${statusCode} for ${method} ${path} ${JSON.stringify(headers).slice(0, 300)}`));
        if (dice.below(20) === 0) call.destroy();
      },
    );
    call.once('error', () => resolve()).once('timeout', () => call.destroy());
    call.end(method === 'GET' || method === 'HEAD' ? undefined : changed);
    if (dice.below(20) === 0) call.destroy();
  });
}
