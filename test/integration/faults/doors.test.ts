import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { faultCommand } from '../../../src/cli/fault.js';
import { followFaultFiles } from '../../../src/cli/serve/fault-files.js';
import { watchCommand } from '../../../src/cli/watch.js';
import { createRealClock } from '../../../src/clock/real-clock.js';
import { FaultRegistry } from '../../../src/faults/matching/registry.js';
import type { Mockri } from '../../../src/testing/index.js';
import { until } from '../../support/turns.js';
import { ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();
const directory = mkdtempSync(join(tmpdir(), 'mockri-doors-'));
afterAll(() => rmSync(directory, { recursive: true }));

let m: Mockri;
beforeEach(async () => {
  m = await mockri({ control: true });
});

describe('HTTP', () => {
  const request = async (method: string, path: string, body?: unknown) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(m.control + path, { method, ...(body !== undefined && { body: text }) });
    return { status: response.status, json: (await response.json()) as Record<string, never> };
  };
  const post = (body: unknown) => request('POST', '/v1/faults', body);

  test('rules are created, shown, replaced and removed', async () => {
    const rule = { name: 'oops', match: { method: 'Version' }, when: { times: 2 }, then: { error: {} } };
    expect(await post(rule)).toMatchObject({
      status: 201,
      json: { faults: [{ name: 'oops', source: 'control', applied: 0, left: 2, spec: rule }] },
    });
    expect(await ending(m.client.version({}))).toMatch(/^UNKNOWN injected by fault rule oops/);
    expect(await request('GET', '/v1/faults/oops')).toMatchObject({
      json: { seen: 1, matched: 1, applied: 1, left: 1, shadowed: 0 },
    });
    const other = { match: { method: 'Status' }, then: { error: { code: 'ABORTED' } } };
    expect(await request('PUT', '/v1/faults/oops', other)).toMatchObject({ json: { name: 'oops', seen: 0 } });
    expect(await ending(m.client.version({}))).toBe('OK');
    expect(await ending(m.client.status({}))).toMatch(/^ABORTED/);
    expect(await request('DELETE', '/v1/faults/oops')).toEqual({ status: 200, json: { faults: [] } });
    expect(await ending(m.client.status({}))).toBe('OK');
  });

  test('a file in JSON or YAML, and the shorthand; reset removes all rules', async () => {
    const yaml = 'version: 1\nfaults:\n  - name: a\n    match: {method: Version}\n    then: {hang: {}}\n';
    expect((await post(yaml)).status).toBe(201);
    expect(await post({ shorthand: 'Status=1*off->error(ABORTED)', name: 's' })).toMatchObject({
      json: { faults: [{ name: 's' }] },
    });
    const held = m.client.version({});
    expect(await ending(m.client.status({}))).toBe('OK');
    expect(await ending(m.client.status({}))).toMatch(/^ABORTED/);
    expect(await request('POST', '/v1/reset')).toEqual({ status: 200, json: { faults: [] } });
    expect(await ending(held)).toBe('OK');
  });

  test('shadowed rules are reported', async () => {
    await post({ shorthand: 'Version=error(ABORTED)', name: 'first' });
    await post({ shorthand: 'Version=1*error(INTERNAL)', name: 'second' });
    expect(await ending(m.client.version({}))).toMatch(/^ABORTED/);
    expect(await request('GET', '/v1/faults/second')).toMatchObject({ json: { applied: 0, shadowed: 1 } });
  });

  test('the history and the metrics name the rules', async () => {
    const pod = await startPod(m, 'web');
    await post({ shorthand: 'ContainerStatus=1*delay(1ms)', name: 'slow' });
    await m.client.containerStatus(pod);
    await m.client.containerStatus(pod);
    expect(
      await request('GET', '/v1/calls?faulty=true&pod=web&container=app&method=ContainerStatus'),
    ).toMatchObject({
      json: {
        calls: [
          { faults: ['slow'], code: 'OK', subject: { pod: { name: 'web' }, container: { name: 'app' } } },
        ],
      },
    });
    const metrics = await (await fetch(`${m.control}/metrics`)).text();
    expect(metrics).toContain(
      'mockri_faults_applied_total{rule="slow",method="ContainerStatus",action="delay"} 1\n',
    );
  });

  test.each([
    [
      'an unknown method',
      { match: { method: 'StartContianer' }, then: { hang: {} } },
      'match.method',
      'did you mean "StartContainer"?',
    ],
    ['a misspelled action', { then: { hagn: {} } }, 'then.hagn', 'did you mean "hang"?'],
    [
      'a bad duration',
      { match: { method: 'Version' }, then: { delay: '5 s' } },
      'then.delay',
      'expected a duration such as "250ms"',
    ],
    ['two actions', { then: { hang: {}, error: {} } }, 'then', 'at most one action'],
    [
      'a rule that never matches',
      { on: 'connection', match: { method: 'Version' }, then: { refuse: {} } },
      'match',
      'would never match',
    ],
  ])('%s is rejected with its line', async (_, rule, field, message) => {
    const { status, json } = await post(JSON.stringify(rule, null, 1));
    expect(status).toBe(400);
    expect(json).toMatchObject({
      title: 'Bad Request',
      errors: [
        { source: 'body', line: expect.any(Number), field, message: expect.stringContaining(message) },
      ],
    });
  });

  test('names are unique, and an unknown name is an error', async () => {
    await post({ name: 'a', then: { pause: { for: '1ms' } } });
    expect(await post({ name: 'a', then: { pause: {} } })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('a rule called "a" is there already') },
    });
    expect(await request('DELETE', '/v1/faults/b')).toMatchObject({
      status: 404,
      json: { detail: 'no rule is called "b"; there are a' },
    });
  });
});

describe('the command line', () => {
  const run = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    const command = faultCommand((line) => lines.push(line));
    const [name = '', ...rest] = args;
    await command.parseAsync([name, '--control', m.control ?? '', ...rest], { from: 'user' });
    return lines.join('\n');
  };

  test('adds, lists, removes, resets', async () => {
    expect(await run('add', 'Version=1*off->1*error(ABORTED:x)->1*delay(1ms)', '--name', 'v')).toBe(
      'v-1\nv-2',
    );
    expect(await ending(m.client.version({}))).toBe('OK');
    expect(await ending(m.client.version({}))).toBe('ABORTED x');
    const [head, first] = (await run('ls')).split('\n');
    expect(head?.split(/ +/)).toEqual([
      'NAME',
      'SEEN',
      'MATCHED',
      'APPLIED',
      'SHADOWED',
      'LEFT',
      'RULE',
      'SOURCE',
    ]);
    expect(first).toMatch(/^v-1 +2 +2 +1 +0 +0 +Version=\S*error\(ABORTED:x\) +control$/);
    await expect(run('rm', 'v-1', 'v-3')).rejects.toThrow(/no rule is called "v-3"; did you mean "v-1"/);
    expect((await run('ls')).split('\n')).toHaveLength(3);
    await run('rm', 'v-1', 'v-2', 'v-1');
    expect(await run('ls')).toBe('no rules: the runtime is healthy');
    await run('add', 'Version=hang');
    await run('reset');
    expect(JSON.parse(await run('ls', '--json'))).toEqual({ faults: [] });
  });

  test('accepts pods, containers and files', async () => {
    const web = await startPod(m, 'web');
    const db = await startPod(m, 'db');
    await run('add', 'ContainerStatus=error(ABORTED)', '--pod', 'default/w*', '--container', 'app');
    expect(await ending(m.client.containerStatus(web))).toMatch(/^ABORTED/);
    expect(await ending(m.client.containerStatus(db))).toBe('OK');
    const file = join(directory, 'rules.yaml');
    writeFileSync(file, 'version: 1\nfaults: [{name: f, match: {method: Version}, then: {error: {}}}]\n');
    expect(await run('add', '--file', file)).toBe('f');
    writeFileSync(file, 'version: 1\nfaults:\n  - then: {exot: {}}\n');
    await expect(run('add', '--file', file)).rejects.toThrow(
      `${file}:3:12: faults[0].then.exot: unknown key; did you mean "exit"?`,
    );
  });

  test.each([
    [['add', 'StartContianer=hang'], /did you mean "StartContainer"\?/],
    [['add', 'Version=hagn'], /unknown action "hagn"; did you mean "hang"\?/],
    [['add', 'Version=delay(5)'], /expected a duration such as/],
    [['add', 'Version=ignoreStop'], /ignoreStop acts on StopContainer/],
    [['add', 'Version=hang', '--pod', 'a'], /Version calls name no pod/],
    [['add'], /specify either a rule in shorthand or --file/],
    [['rm', 'x'], /no rule is called "x"; there are none/],
  ])('%j is refused', async (args, message) => {
    await expect(run(...args)).rejects.toThrow(message);
  });

  test('a server that does not respond is reported', async () => {
    await m.close();
    await expect(run('ls')).rejects.toThrow(
      /no control API responds at .* \(ECONNREFUSED\): is mockri serve/,
    );
  });

  test('watch shows calls, events and faults as they happen', async () => {
    const watching = async (...args: string[]) => {
      const lines: string[] = [];
      const done = watchCommand((line) => lines.push(line)).parseAsync(
        ['--control', m.control ?? '', ...args],
        { from: 'user' },
      );
      return { lines, done };
    };
    const all = await watching('--pod', 'web', '--count', '10');
    const faults = await watching('--only', 'fault', '--json', '--count', '1');
    await until(() => m.runtime.eventStats.queues.length === 2);
    m.fault('StartContainer').named('slow').once().delay('1ms');
    await m.client.version({});
    const web = await startPod(m, 'web');
    await startPod(m, 'db');
    await m.client.stopPodSandbox(web);
    await faults.done;
    expect(JSON.parse(faults.lines[0] ?? '')).toMatchObject({
      kind: 'fault',
      rule: 'slow',
      action: 'delay',
      method: 'StartContainer',
      subject: { pod: { name: 'web' }, container: { name: 'app' } },
    });
    await all.done;
    const text = all.lines.join('\n');
    expect(text).not.toContain('default/db');
    expect(text).not.toContain('Version');
    expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} event CREATED default\/web app\(0\) [0-9a-f]{13}$/m);
    expect(text).toMatch(/call {2}StartContainer default\/web app\(0\) OK [\d.]+ms \[slow\] unix#1$/m);
    expect(text).toMatch(/fault slow delay on StartContainer default\/web app\(0\)$/m);
  });
});

describe('a file', () => {
  const clock = createRealClock();

  /** Follows a file; what was logged, and how to stop. */
  function follow(file: string) {
    const log: string[] = [];
    const write = (_: object, message: string) => void log.push(message);
    const registry = new FaultRegistry({
      clock,
      seed: 1,
      conditions: () => ({ runtime: true, network: true }),
    });
    const faults = { registry } as Parameters<typeof followFaultFiles>[1]['faults'];
    const logger = { info: write, error: write } as unknown as Logger;
    const stop = followFaultFiles([file], { faults, clock, log: logger, seed: undefined });
    return { registry, log, stop, names: () => registry.list().map(({ name }) => name) };
  }

  const rules = (...names: string[]) =>
    `version: 1\nfaults:\n${names.map((name) => `  - {name: ${name}, match: {method: Version}, then: {hang: {}}}\n`).join('')}`;

  test('is read again when it changes; a file with mistakes changes nothing', async () => {
    const file = join(directory, 'faults.yaml');
    writeFileSync(file, rules('a', 'b'));
    const { registry, log, stop, names } = follow(file);
    try {
      expect(names()).toEqual(['a', 'b']);
      registry.judge('call', { method: 'Version', connection: 1, subject: () => ({}), request: () => ({}) });
      writeFileSync(file, rules('b', 'c').replace('{name: c', '{name: c, whne: {times: 1}'));
      await until(() => log.length === 2);
      expect(log[1]).toBe(
        `the old fault rules stay active: ${file}:4:15: faults[1].whne: unknown key; did you mean "when"?`,
      );
      expect(names()).toEqual(['a', 'b']);
      // As editors do it: a new file takes the old one's place.
      writeFileSync(`${file}~`, rules('b', 'c'));
      renameSync(`${file}~`, file);
      await until(() => log.length === 3);
      expect(names()).toEqual(['b', 'c']);
      // A rule that stays keeps its counters.
      expect(registry.list().map(({ seen }) => seen)).toEqual([1, 0]);
      rmSync(file);
      await until(() => log.length === 4);
      expect(log[3]).toMatch(/can't be read: there is no such file/);
      // It says so once.
      writeFileSync(file, rules('e'));
      await until(() => names()[0] === 'e');
      expect(log).toHaveLength(5);
    } finally {
      stop();
    }
  });

  test('is read again when the target of a link changes, or its directory is replaced', async () => {
    const [here, there] = [join(directory, 'here'), join(directory, 'there')];
    for (const each of [here, there]) mkdirSync(each);
    writeFileSync(join(there, 'real.yaml'), rules('a'));
    symlinkSync(join(there, 'real.yaml'), join(here, 'faults.yaml'));
    const { stop, names } = follow(join(here, 'faults.yaml'));
    try {
      writeFileSync(join(there, 'real.yaml'), rules('b'));
      await until(() => names()[0] === 'b');
      mkdirSync(`${here}.new`);
      renameSync(here, `${here}.old`);
      writeFileSync(join(`${here}.new`, 'faults.yaml'), rules('c'));
      renameSync(`${here}.new`, here);
      await until(() => names()[0] === 'c');
      writeFileSync(join(here, 'faults.yaml'), rules('d'));
      await until(() => names()[0] === 'd');
    } finally {
      stop();
    }
  });

  test('in a mounted ConfigMap is read again when the directory is swapped', async () => {
    const mount = join(directory, 'mount');
    const put = (version: string, name: string) => {
      mkdirSync(join(mount, version), { recursive: true });
      writeFileSync(join(mount, version, 'faults.yaml'), rules(name));
      symlinkSync(version, join(mount, '..next'));
      renameSync(join(mount, '..next'), join(mount, '..data'));
    };
    put('..1', 'a');
    symlinkSync('..data/faults.yaml', join(mount, 'faults.yaml'));
    const { stop, names } = follow(join(mount, 'faults.yaml'));
    try {
      put('..2', 'b');
      await until(() => names()[0] === 'b');
    } finally {
      stop();
    }
  });

  test('with mistakes is rejected at the start', () => {
    const file = join(directory, 'bad.yaml');
    writeFileSync(file, 'version: 1\nfaults:\n  - match: {method: Verson}\n    then: {hang: {}}\n');
    expect(() => follow(file)).toThrow(
      `${file}:3:13: faults[0].match.method: unknown RPC "Verson"; did you mean "Version"?`,
    );
  });
});
