import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test, vi } from 'vitest';
import { type WrittenFinding, writeFinding } from '../../../src/lab/explore/report/write.js';
import { loadSubject } from '../../../src/lab/explore/subject/subject.js';
import { runCommand } from '../../support/command.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { countOf, isThorough, ofAll, sampleOf } from '../../support/thorough.js';
import { explored } from '../subject.js';
import { unlike } from './replay.js';

vi.setConfig({ testTimeout: 3_600_000 });

const directoryOfShapes = fileURLToPath(new URL('shapes', import.meta.url));
const all = readdirSync(directoryOfShapes).sort();
const shapes = sampleOf(all, 1);
const schedules = countOf(24, 6);
const times = countOf(5, 1);
/** In which the schedules find something for each shape. */
const shard = isThorough ? { index: 1, of: 4 } : { index: 1, of: 32 };

const temporary = useTemporaryDirectories();
let directory: string;
beforeEach(() => {
  directory = temporary();
});

/** The findings of an exploration of this shape, as files. */
async function found(shape: string): Promise<WrittenFinding[]> {
  const { findings } = await explored({
    scenario: await loadSubject([join(directoryOfShapes, shape)]),
    depth: 2,
    shard,
    budget: { schedules },
  });
  return Promise.all(findings.map((each) => writeFinding(each, { directory, recorder: 'mockri test' })));
}

test.each(shapes.map((shape) => basename(shape, '.yaml')))(
  `each finding of %s replays ${times} times (${ofAll(shapes.length, all.length, 'shapes')}, ${schedules} schedules)`,
  async (shape) => {
    const findings = await found(`${shape}.yaml`);
    expect(findings.length).toBeGreaterThan(0);
    const wrong: string[] = [];
    for (const { kind, file, message } of findings) {
      const problem = await unlike(file, message, times);
      if (problem !== undefined) wrong.push(`${kind}: ${problem}`);
    }
    expect(wrong).toEqual([]);
    for (const { file } of findings.slice(0, countOf(3, 1))) {
      const { code, err } = await runCommand('simulate', file);
      expect(code, err).toBe(1);
    }
  },
);
