import { expect, test } from 'vitest';
import type { Entry, Header } from '../../entries.js';
import { judgeTape } from '../tape-judge.js';

type Given = Omit<Extract<Entry, { kind: 'nri' | 'plugin' | 'container' | 'fault' }>, 't'> &
  Record<string, unknown>;

const header: Header = {
  t: 0,
  kind: 'header',
  version: 1,
  startedAt: '0',
  clock: 'real',
  recorder: 'test',
  redacted: [],
};
const pod = { id: 'p', name: 'web', namespace: 'default', uid: 'u' };
const all = ['CreateContainer', 'StartContainer', 'StopContainer', 'RemoveContainer'];

const came = (connection = 1, plugin = '10-a') => ({
  kind: 'plugin',
  plugin,
  connection,
  what: 'synchronized',
  events: all,
});
const shows = (ids: readonly string[], connection = 1) => ({
  kind: 'nri',
  plugin: '10-a',
  connection,
  method: 'Synchronize',
  took: 1,
  shows: ids,
});
const asks = (method: string, id = 'c', more: object = {}) => ({
  kind: 'nri',
  plugin: '10-a',
  connection: 1,
  method,
  took: 1,
  pod,
  container: { id, name: 'app' },
  ...more,
});
const happens = (what: string, id = 'c') => ({
  kind: 'container',
  what,
  pod,
  container: { id, name: 'app' },
});
const fault = (method: string, id = 'c') => ({
  kind: 'fault',
  rule: 'r',
  action: 'close',
  on: 'call',
  method: `nri:${method}`,
  container: { id, name: 'app' },
});

const life = [
  shows([]),
  came(),
  asks('CreateContainer'),
  asks('PostCreateContainer'),
  happens('created'),
  asks('StartContainer'),
  asks('PostStartContainer'),
  happens('started'),
  asks('UpdateContainer'),
  asks('PostUpdateContainer'),
  asks('CreateContainer', 'd', { updates: ['c'] }),
  happens('created', 'd'),
  happens('ended'),
  asks('StopContainer'),
  asks('RemoveContainer'),
  happens('removed'),
];

async function judged(entries: readonly object[]): Promise<string[]> {
  async function* numbered() {
    for (const [index, entry] of entries.entries())
      yield { line: index + 2, entry: { t: index, ...entry } as unknown as Entry };
  }
  const { findings } = await judgeTape({ header, entries: numbered() });
  return findings.map(({ rule, side, about, lines }) => `${rule} ${side} ${about} ${lines.join()}`);
}

const without = (method: string) =>
  life.filter((entry) => (entry as unknown as Given).method !== method || !('container' in entry));
const swapped = (first: number, second: number) =>
  life.map(
    (entry, index) => (index === first ? life[second] : index === second ? life[first] : entry) as object,
  );

test('the life of containers as it should be has no finding', async () => {
  expect(await judged(life)).toEqual([]);
});

test.each<[string, readonly object[], readonly string[]]>([
  [
    'a container whose creation a plugin does not see',
    without('CreateContainer'),
    ['NRI-01 runtime c 3,5', 'NRI-01 runtime d 3,11'],
  ],
  [
    'a container that Synchronize leaves out',
    [...life.slice(0, 8), shows([], 2), came(2, '20-b')],
    ['NRI-01 runtime c 6,11'],
  ],
  ['a creation that comes twice', [...life.slice(0, 3), ...life.slice(2)], ['NRI-02 runtime c 4,5']],
  ['a creation after the removal', [...life, asks('CreateContainer')], ['NRI-02 runtime c 16,18']],
  ['a start before the creation is over', swapped(3, 5), ['NRI-03 runtime c 5,7']],
  ['a stop before the start', swapped(5, 13), ['NRI-03 runtime c 7,8']],
  ['a request after the removal', [...life, asks('UpdateContainer')], ['NRI-03 runtime c 16,18']],
  [
    'an update of a container that is gone',
    [...life, asks('StopContainer', 'd', { updates: ['c'] })],
    ['NRI-04 plugin c 16,18'],
  ],
  [
    'an unsolicited update of one',
    [...life, { ...shows([]), method: 'UpdateContainers', shows: undefined, updates: ['c'] }],
    ['NRI-04 plugin c 16,18'],
  ],
  [
    'a plugin that does not answer',
    [...life, asks('StartContainer', 'd', { failure: 'timeout', details: 'late' })],
    ['NRI-05 plugin 10-a 18'],
  ],
  [
    'a plugin that answers garbage',
    [...life, asks('StartContainer', 'd', { failure: 'protocol', details: 'x' })],
    ['NRI-05 plugin 10-a 18'],
  ],
])('%s is a finding', async (_, entries, findings) => {
  expect(await judged(entries)).toEqual(findings);
});

test('nobody is blamed for what a fault rule did', async () => {
  const late = asks('StartContainer', 'd', { failure: 'timeout', details: 'late' });
  expect(await judged([...life, fault('StartContainer', 'd'), late])).toEqual([]);
  const hidden = asks('CreateContainer', 'e', { failure: 'closed', details: 'closed' });
  expect(await judged([...life, fault('CreateContainer', 'e'), hidden, happens('created', 'e')])).toEqual([]);
});

test('a plugin that has left, or does not want creations, need not see them', async () => {
  const lost = { ...came(), what: 'lost', events: undefined };
  expect(await judged([shows([]), came(), lost, happens('created')])).toEqual([]);
  expect(await judged([shows([]), { ...came(), events: ['StopContainer'] }, happens('created')])).toEqual([]);
});

test('what was shown may be anywhere in its life', async () => {
  expect(await judged([happens('created'), shows(['c']), came(), asks('StopContainer')])).toEqual([]);
});
