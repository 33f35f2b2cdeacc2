import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { loadSubject } from '../explore/subject/subject.js';
import { joinSeen } from './join-seen.js';
import { readLines } from './read/read-lines.js';
import { basesOf, creationsOf } from './starting-points.js';

const directory = useTemporaryDirectory();

/** What the containers of a manifest do, as the likeliest base has it. */
async function behaviorsOf(name: string, manifest: string, seen: string) {
  const file = join(directory, `${name}.yaml`);
  writeFileSync(file, manifest);
  const scenario = await loadSubject([file]);
  const observation = joinSeen([readLines(seen, 'saw.txt').seen], creationsOf(scenario));
  return basesOf(scenario, observation)[0]?.scenario.pods[0]?.behaviors;
}

const pod = (more: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: { name: web${more} }\nspec: { containers: [{ name: app, image: unknown/program }] }\n`;
const SEEN = 'web 0/1 CrashLoopBackOff 3 50s\n';

test('what was seen replaces what was guessed from the image of a manifest', async () => {
  expect(await behaviorsOf('plain', pod(''), SEEN)).toEqual({ app: 'exit=1,after=1s' });
});

test('what the manifest says itself stays', async () => {
  const told = await behaviorsOf('told', pod(', annotations: { behavior.mockri.dev/app: exit=7 }'), SEEN);
  expect(told?.app ?? 'exit=7').toBe('exit=7');
});
