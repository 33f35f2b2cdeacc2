import { beforeEach, describe, expect, test } from 'vitest';
import type { Mockri } from '../../../src/testing/index.js';
import { ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();

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
      json: { detail: expect.stringContaining('a rule called "a" already exists') },
    });
    expect(await request('DELETE', '/v1/faults/b')).toMatchObject({
      status: 404,
      json: { detail: 'no rule is called "b"; there is only a' },
    });
  });
});
