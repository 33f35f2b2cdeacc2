import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kindText } from '../../explore/report/kind-text.js';
import { scenarioText } from '../../scenario/file/scenario-text.js';
import type { Cause } from '../cause.js';

/** Scenario text that shows a cause; manifest paths are relative to `directory`. */
export const causeScenario = ({ scenario, cause, key, unexplained }: Cause, directory: string): string =>
  scenarioText(
    scenario,
    {
      title: key === '' ? 'No fault is needed' : kindText(key),
      see: unexplained.length === 0 ? '' : `Not explained: ${unexplained.join('; ')}`,
      why: cause,
      expect: {},
    },
    directory,
  );

export async function writeCauses(causes: readonly Cause[], directory: string): Promise<string[]> {
  const files: string[] = [];
  for (const [index, cause] of causes.entries()) {
    const file = join(directory, `cause-${index + 1}.yaml`);
    await writeFile(file, causeScenario(cause, directory));
    files.push(file);
  }
  return files;
}
