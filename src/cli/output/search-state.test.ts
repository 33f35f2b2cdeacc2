import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { noteFreshSearch } from './search-state.js';

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
