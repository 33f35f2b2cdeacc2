import { expect, test } from 'vitest';
import { z } from 'zod';
import { lineSchema } from '../../src/tape/entries.js';

/** For other tools. After a change of the vocabulary: `npx vitest run test/schema --update`. */
test('schemas/tape.schema.json matches the lines of a tape', async () => {
  const schema = z.toJSONSchema(lineSchema, { io: 'input', target: 'draft-07', reused: 'ref' });
  const text = JSON.stringify({ title: 'A line of a Mockri tape', ...schema }, null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('../../schemas/tape.schema.json');
});
