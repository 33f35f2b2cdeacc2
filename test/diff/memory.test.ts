import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, ofAll } from '../support/thorough.js';
import { diffWith } from './rig.js';

const temporary = useTemporaryDirectories();
const ALL = 300;
const sequences = countOf(ALL, 6);

test(`two equal runtimes have no difference in ${ofAll(sequences, ALL, 'sequences')}`, async () => {
  // Overlapping calls may be answered in another order once (`unsteady`); no difference may show again.
  const report = await diffWith(() => ({}), temporary(), { sequences, subscribers: true, seed: 3 });
  expect(report).toMatchObject({ kinds: [], leftovers: [], sequences });
});
