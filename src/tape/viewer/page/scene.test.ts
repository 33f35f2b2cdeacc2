import { expect, test } from 'vitest';
import { tapeText } from '../../../../test/support/tape/text.js';
import { NO_FILTER } from '../model/filter.js';
import { layoutOf } from '../model/layout.js';
import { readTape } from '../model/reader.js';
import { boxOf, type Scene, xOf } from './scene.js';

const S = 1e9;
const about = { pod: { name: 'a', namespace: 'n' }, container: { name: 'app', attempt: 0 } };

test('a back-off that lasts longer than the tape ends with it', () => {
  const { timeline } = readTape(
    'x',
    tapeText(
      { t: 0, kind: 'container', ...about, what: 'started' },
      { t: 10 * S, kind: 'container', ...about, what: 'ended', exitCode: 1 },
      { t: 20 * S, kind: 'backoff', ...about, waits: true, delay: 300 * S, endedAgo: 10 * S },
    ),
  );
  const layout = layoutOf({ tapes: [{ name: 'x', timeline }], filter: NO_FILTER, toggled: new Set() });
  const [row] = layout.rows.filter(({ lane }) => lane?.kind === 'container');
  const wait = row?.items.find(({ shape }) => shape === 'hatch');
  if (row === undefined || wait === undefined) throw new Error('there is no back-off');
  const scene = {
    view: { from: 0, to: 40 * S },
    names: 100,
    width: 500,
    last: timeline.end,
  } as Scene;
  expect(boxOf(scene, row, wait)).toMatchObject({ x: xOf(scene, 10 * S), right: xOf(scene, 20 * S) });
});
