import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { faultCommand } from '../../../src/cli/commands/fault.js';
import { watchCommand } from '../../../src/cli/commands/watch.js';
import type { Mockri } from '../../../src/testing/index.js';
import { useTemporaryDirectory } from '../../support/temporary.js';
import { until } from '../../support/turns.js';
import { ending, startPod, useMockri } from './kit.js';

const mockri = useMockri();
const directory = useTemporaryDirectory();

let m: Mockri;
beforeEach(async () => {
  m = await mockri({ control: true });
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
    const [head, first, rule] = (await run('ls')).split('\n');
    expect(head?.split(/ +/)).toEqual(['NAME', 'SEEN', 'MATCHED', 'APPLIED', 'SHADOWED', 'LEFT']);
    expect(first).toMatch(/^v-1 +2 +2 +1 +0 +0$/);
    expect(rule).toBe('  Version=1*off->1*error(ABORTED:x) (control)');
    await expect(run('rm', 'v-1', 'v-3')).rejects.toThrow(/no rule is called "v-3"; did you mean "v-1"/);
    expect((await run('ls')).split('\n')).toHaveLength(5);
    await run('rm', 'v-1', 'v-2', 'v-1');
    expect(await run('ls')).toBe('no rules: the runtime is healthy');
    await run('add', 'Version=hang');
    await run('reset');
    expect(JSON.parse(await run('ls', '--json'))).toEqual({ faults: [] });
  });

  test('a server of one runtime rejects a node fault', async () => {
    await expect(run('node', 'NodeDown', '--node', 'x', '--for', '5m')).rejects.toThrow(
      'this server is a single runtime; fault node needs mockri node',
    );
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
    const watching = (...args: string[]) => {
      const lines: string[] = [];
      const done = watchCommand((line) => lines.push(line)).parseAsync(
        ['--control', m.control ?? '', ...args],
        { from: 'user' },
      );
      return { lines, done };
    };
    // All readers share one subscription, so that only the first can be waited for.
    const readers = () => m.runtime.eventStats.queues.length;
    const faults = watching('--only', 'fault', '--json', '--count', '1');
    await until(() => readers() === 1);
    m.fault('StartContainer').named('slow').times(2).delay('1ms');
    await startPod(m, 'shop');
    await faults.done;
    expect(JSON.parse(faults.lines[0] ?? '')).toMatchObject({
      kind: 'fault',
      rule: 'slow',
      action: 'delay',
      method: 'StartContainer',
      subject: { pod: { name: 'shop' }, container: { name: 'app' } },
    });
    await until(() => readers() === 0);
    const all = watching('--pod', 'web', '--count', '10');
    await until(() => readers() === 1);
    await m.client.version({});
    const web = await startPod(m, 'web');
    await startPod(m, 'db');
    await m.client.stopPodSandbox(web);
    await all.done;
    const text = all.lines.join('\n');
    expect(text).not.toContain('default/db');
    expect(text).not.toContain('Version');
    expect(text).toMatch(/^\d\d:\d\d:\d\d\.\d{3} event CREATED default\/web app\(0\) [0-9a-f]{13}$/m);
    expect(text).toMatch(/call {2}StartContainer default\/web app\(0\) OK [\d.]+ms \[slow\] unix#1$/m);
    expect(text).toMatch(/fault slow delay on StartContainer default\/web app\(0\)$/m);
  });
});
