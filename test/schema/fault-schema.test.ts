import { expect, test } from 'vitest';
import { z } from 'zod';
import { faultFileSchema } from '../../src/faults/language/schema.js';

/** For editors and other tools. After a change of the rule language run `npx vitest run test/schema --update`. */
test('schemas/faults.schema.json is up to date with the rule language', async () => {
  const schema = z.toJSONSchema(faultFileSchema, { io: 'input', target: 'draft-07', reused: 'ref' });
  const text = JSON.stringify({ title: 'Mockri fault rules', ...schema }, null, 2);
  await expect(`${text}\n`).toMatchFileSnapshot('../../schemas/faults.schema.json');
});
