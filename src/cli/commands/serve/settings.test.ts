import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { readSettings } from './settings.js';

const directory = useTemporaryDirectory();
const config = join(directory, 'mockri.yaml');

test('options override variables, variables the file, and the file the defaults', () => {
  writeFileSync(
    config,
    'backend: remote\nlisten: /file\nlog-level: warn\ncall-history: 5\nreflection: true\n',
  );
  const settings = readSettings(
    { config, listen: '/flag' },
    { MOCKRI_LISTEN: '/env', MOCKRI_LOG_LEVEL: 'debug' },
  );
  expect(settings).toMatchObject({
    listen: '/flag',
    'log-level': 'debug',
    'call-history': 5,
    reflection: true,
    'socket-mode': '0660',
  });
});

test('a file cannot set --proto, which is read before the file', () => {
  writeFileSync(config, 'proto: next.proto\n');
  expect(() => readSettings({ config }, {})).toThrow(
    `${config}: proto: give the file as --proto or MOCKRI_PROTO`,
  );
});

test('variables of a Service that is called mockri are no settings', () => {
  const service = {
    MOCKRI_SERVICE_HOST: '10.0.0.9',
    MOCKRI_SERVICE_PORT: '10350',
    MOCKRI_SERVICE_PORT_CONTROL: '10350',
    MOCKRI_PORT: 'tcp://10.0.0.9:10350',
    MOCKRI_PORT_10350_TCP: 'tcp://10.0.0.9:10350',
    MOCKRI_PORT_10350_TCP_PROTO: 'tcp',
    MOCKRI_PORT_10350_TCP_PORT: '10350',
    MOCKRI_PORT_10350_TCP_ADDR: '10.0.0.9',
  };
  expect(readSettings({}, service)).toEqual(readSettings({}, {}));
  expect(() => readSettings({}, { MOCKRI_SERVICE: 'x' })).toThrow('MOCKRI_SERVICE: unknown');
});

test('a file with only comments sets nothing', () => {
  writeFileSync(config, '# backend: remote\n');
  expect(readSettings({ config }, {})).toMatchObject({ backend: 'memory' });
});

test.each([
  [
    'a misspelled key, with its line',
    'backend: remote\nlisen: /x\n',
    {},
    {},
    /yaml:2:1: lisen: unknown key; did you mean "listen"/,
  ],
  [
    'a bad value, with its line',
    'backend: remote\napi-level: v9\n',
    {},
    {},
    /yaml:2:1: api-level: expected v0\.26, .* or v0\.37; given "v9"/,
  ],
  [
    'a misspelled variable',
    'backend: remote\n',
    { MOCKRI_LISEN: '/x' },
    {},
    /^MOCKRI_LISEN: unknown; did you mean "MOCKRI_LISTEN"\?$/,
  ],
  [
    'a bad value of a variable',
    'backend: remote\n',
    { MOCKRI_LOG_LEVEL: 'loud' },
    {},
    /^MOCKRI_LOG_LEVEL: expected .*; given "loud"$/,
  ],
  [
    'an invalid number',
    'backend: remote\n',
    {},
    { callHistory: 'many' },
    /^--call-history: expected a whole number from 1 to 1000000; given "many"$/,
  ],
  [
    'no endpoint, with its line',
    'backend: remote\nlisten: foo\n',
    {},
    {},
    /yaml:2:1: listen: "foo" is not an endpoint; write unix:[^;]*$/,
  ],
  ['an empty endpoint of a variable', '', { MOCKRI_LISTEN: '' }, {}, /^MOCKRI_LISTEN: "" is not an endpoint/],
  ['no endpoint of an option', '', {}, { listen: 'foo' }, /^--listen: "foo" is not an endpoint/],
  [
    'a recording in no directory, with its line',
    'record: /nosuch/run.tape\n',
    {},
    {},
    /yaml:1:1: record: there is no such directory; given "\/nosuch\/run.tape"$/,
  ],
  [
    'a recording into a directory',
    '',
    {},
    { record: '/tmp' },
    /^--record: it is a directory; give a file; given/,
  ],
  [
    'an invalid mode',
    'backend: remote\n',
    {},
    { socketMode: '9' },
    /^--socket-mode: expected three octal digits/,
  ],
])('%s is refused', (_, file, environment, flags, message) => {
  writeFileSync(config, file);
  expect(() => readSettings({ config, ...flags }, environment)).toThrow(message);
});

test.each(['docker', 'remote'])(
  '--backend %s listens beyond this machine only if that is allowed',
  (backend) => {
    const remote = { backend };
    const listen = 'tcp://0.0.0.0:4000';
    const refusal =
      /^--listen: tcp:\/\/0\.0\.0\.0:4000 is reachable from the network.*--listen-allow-remote$/;
    expect(() => readSettings({ ...remote, listen }, {})).toThrow(refusal);
    expect(readSettings({ ...remote, listen, listenAllowRemote: true }, {}).listen).toBe(listen);
    expect(readSettings({ ...remote, listen: 'tcp://127.0.0.1:4000' }, {}).backend).toBe(backend);
    expect(readSettings({ listen }, {}).listen).toBe(listen);
  },
);

test('a file that a variable names is refused under the name of the variable', () => {
  expect(() => readSettings({}, { MOCKRI_CONFIG: '/nosuch' })).toThrow(/^MOCKRI_CONFIG: \/nosuch: it can't/);
  expect(() => readSettings({ config: '/nosuch' }, {})).toThrow(/^--config: \/nosuch: it can't/);
  expect(readSettings({ listen: 'temporary' }, {}).listen).toBe('temporary');
});

test('a file may set what another backend needs, for a run with this one, which says so', () => {
  writeFileSync(config, 'backend: docker\ndocker-host: unix:///x\npresent-images: [busybox]\n');
  expect(readSettings({ config, backend: 'memory' }, { MOCKRI_TAPE: 'x.tape' })).toMatchObject({
    backend: 'memory',
    withoutEffect: [
      'MOCKRI_TAPE has no effect without --backend tape',
      `${config}: docker-host has no effect without --backend docker`,
    ],
  });
  expect(readSettings({ config }, { MOCKRI_PULL_LATENCY: '2s', MOCKRI_DOCKER_NETWORK: 'x' })).toMatchObject({
    backend: 'docker',
    withoutEffect: [
      'MOCKRI_PULL_LATENCY has no effect without --backend memory',
      `${config}: present-images has no effect without --backend memory`,
    ],
  });
  expect(readSettings({}, { MOCKRI_KEEP: 'all' }).withoutEffect).toEqual([
    'MOCKRI_KEEP has no effect without --record',
  ]);
  expect(
    readSettings({ config }, { MOCKRI_BACKEND: 'tape', MOCKRI_ON_MISS: 'memory' }).withoutEffect,
  ).toEqual([`${config}: docker-host has no effect without --backend docker`]);
});

test.each([
  ['remoteEndpoint', 'x', /^--remote-endpoint: "x" is not an endpoint; write unix:[^;]*$/],
  ['dockerHost', 'unix:///x', /^--docker-host has no effect without --backend docker$/],
  ['pullLatency', '1s', /^--pull-latency has no effect without --backend memory$/],
])('option %s %s is refused with backend remote', (name, value, message) => {
  expect(() => readSettings({ backend: 'remote', [name]: value }, {})).toThrow(message);
});
