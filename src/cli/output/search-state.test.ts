import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { isSavedExploration } from '../../lab/explore/explore.js';
import { keepState, noteFreshSearch, readState } from './search-state.js';

const directory = useTemporaryDirectory();

test('--resume says so when there is no search to continue', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  noteFreshSearch(directory, ['state-1.30.json', 'state-1.36.json']);
  expect(said).toHaveBeenCalledExactlyOnceWith(
    `mockri: --resume: no search was begun in ${directory} (it has no state-1.30.json, state-1.36.json): this one begins\n`,
  );
  writeFileSync(join(directory, 'state-1.36.json'), '');
  noteFreshSearch(directory, ['state-1.30.json', 'state-1.36.json']);
  expect(said).toHaveBeenCalledTimes(1);
  said.mockRestore();
});

test('a state has the key of its options and the parts of its search', async () => {
  const file = join(directory, 'state.json');
  expect(readState(file, 'options', isSavedExploration)).toBeUndefined();
  await keepState(file, 'options', {});
  expect(() => readState(file, 'others', isSavedExploration)).toThrow(
    'the state of another scenario, of other options, or of another version of Mockri',
  );
  expect(() => readState(file, 'options', isSavedExploration)).toThrow(
    'is damaged: parts of the state are missing',
  );
});
