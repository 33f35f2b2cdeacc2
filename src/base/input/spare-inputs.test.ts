import { linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { spareInputs } from './spare-inputs.js';

const directory = useTemporaryDirectory();

it('refuses an output that is an input, by whatever path', () => {
  const at = (name: string) => join(directory, name);
  const [input, other] = [at('input'), at('other')];
  for (const file of [input, other]) writeFileSync(file, '');
  symlinkSync(input, at('link'));
  linkSync(input, at('same'));
  for (const output of [input, at('link'), at('same'), at('./input')])
    expect(() => spareInputs('--save', output, [other, input])).toThrow(
      `--save: ${output} is an input of the command; give another file`,
    );
  for (const output of [undefined, other, at('none'), '/dev/null', directory])
    expect(() => spareInputs('--save', output, [input, 'none', '/dev/null', directory])).not.toThrow();
});
