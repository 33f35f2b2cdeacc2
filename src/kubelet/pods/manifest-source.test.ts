import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { minimal } from '../../../test/support/kubelet/manifest-text.js';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { Pod } from '../kubernetes/pod.js';
import { watchManifests } from './manifest-source.js';

describe('the static pod directory', () => {
  const temporary = useTemporaryDirectories();
  let directory: string;
  beforeEach(async () => {
    directory = temporary();
  });

  async function setup() {
    const clock = createVirtualClock();
    const seen: string[][] = [];
    const last: { pods: readonly Pod[] } = { pods: [] };
    const problems: string[] = [];
    const source = await watchManifests({
      path: directory,
      nodeName: 'node',
      clock,
      period: 20_000,
      onPods: (pods) => {
        last.pods = pods;
        seen.push(pods.map(({ metadata }) => metadata.name));
      },
      onProblem: (line) => problems.push(line.replaceAll(directory, '.')),
    });
    return { clock, seen, last, problems, source };
  }
  const put = (name: string, text: string) => writeFile(join(directory, name), text);

  test('is read at the start and after a change, and reports only changes', async () => {
    await put('a.yaml', minimal('a'));
    await put('.hidden.yaml', minimal('hidden'));
    const { seen, source } = await setup();
    await put('b.json', minimal('b'));
    await source.refresh();
    await source.refresh();
    await rename(join(directory, 'a.yaml'), join(directory, 'c.yaml'));
    await source.refresh();
    await rm(join(directory, 'c.yaml'));
    await source.refresh();
    source.close();
    expect(seen.filter((names, index) => names.join() !== seen[index - 1]?.join())).toEqual([
      ['a-node'],
      ['a-node', 'b-node'],
      ['b-node', 'a-node'],
      ['b-node'],
    ]);
  });

  test('is read again after the period', async () => {
    const { clock, source } = await setup();
    source.close();
    const periodic: string[][] = [];
    const other = await watchManifests({
      path: join(directory, 'later'),
      nodeName: 'node',
      clock,
      period: 20_000,
      onPods: (pods) => periodic.push(pods.map(({ metadata }) => metadata.name)),
      onProblem: () => {},
    });
    await put('later', minimal('late'));
    await clock.advance(19_999);
    expect(periodic).toEqual([[]]);
    await clock.advance(1);
    expect(periodic).toEqual([[], ['late-node']]);
    other.close();
  });

  test('keeps the pods of an unreadable file until the period is over, and reports the problem once', async () => {
    await put('a.yaml', minimal('a'));
    const { clock, seen, problems, source } = await setup();
    await put('a.yaml', 'kind: Pod\n');
    await source.refresh();
    await source.refresh();
    expect(seen).toEqual([['a-node']]);
    await clock.advance(20_000);
    source.close();
    expect(seen).toEqual([['a-node'], []]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^\.\/a\.yaml:1:1: /);
  });

  test('is read up to 4 MiB; a file may have 1 MiB', async () => {
    const padding = `\n# ${'x'.repeat(900_000)}`;
    await put('0.yaml', minimal('huge') + padding + padding);
    for (let file = 1; file < 7; file++) await put(`${file}.yaml`, minimal(`pod-${file}`) + padding);
    const { last, problems, source } = await setup();
    expect(last.pods.map(({ metadata }) => metadata.name)).toEqual([1, 2, 3, 4].map((n) => `pod-${n}-node`));
    expect(problems).toEqual([
      './0.yaml: it has more than 1048576 bytes, which is the most that is read',
      '.: the manifests have more than 4194304 bytes; ./5.yaml and later ones are ignored',
    ]);
    source.close();
  });

  test('is read up to 1,000 files', async () => {
    for (let file = 0; file < 1001; file++) await put(`${file}.yaml`, '');
    const { problems, source } = await setup();
    source.close();
    expect(problems[0]).toBe('.: 1001 files; the first 1000 are read');
    expect(problems).toHaveLength(1001);
  });

  test('uses the last of two pods with the same name', async () => {
    await put('a.yaml', minimal('web', 'nginx:1'));
    await put('b.yaml', minimal('web', 'nginx:2'));
    const { seen, last, problems, source } = await setup();
    source.close();
    expect(last.pods.map(({ spec }) => spec.containers[0]?.image)).toEqual(['nginx:2']);
    expect(seen).toEqual([['web-node']]);
    expect(problems).toEqual(['./a.yaml: pod default/web-node is also in ./b.yaml; this one is ignored']);
  });

  test('reports a changed pod with a fixed uid, and keeps its first-seen time', async () => {
    const own = (image: string) => minimal('web', image).replace('name: web', 'name: web, uid: u1');
    await put('a.yaml', own('nginx:1'));
    const { clock, seen, last, source } = await setup();
    const [first] = last.pods;
    await clock.advance(1000);
    await put('a.yaml', `${own('nginx:1')}\n# a comment`);
    await source.refresh();
    expect(last.pods).toEqual([first]);
    expect(seen).toHaveLength(1);
    await put('a.yaml', own('nginx:2'));
    await source.refresh();
    source.close();
    expect(seen).toHaveLength(2);
    expect(last.pods[0]?.spec.containers[0]?.image).toBe('nginx:2');
    expect(last.pods[0]?.metadata).toEqual(first?.metadata);
    expect(first?.metadata.annotations['kubernetes.io/config.hash']).toBe('u1');
  });

  test('treats a renamed manifest as another pod', async () => {
    await put('a.yaml', minimal('a'));
    const { last, source } = await setup();
    const [first] = last.pods;
    await rename(join(directory, 'a.yaml'), join(directory, 'b.yaml'));
    await source.refresh();
    source.close();
    expect(last.pods[0]?.metadata.name).toBe('a-node');
    expect(last.pods[0]?.metadata.uid).not.toBe(first?.metadata.uid);
  });
});
