import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTapeService } from '../../adapters/tape/tape-service.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { InputError } from '../../src/base/input/yaml.js';
import { tapeDiffCommand } from '../../src/cli/commands/tape/diff.js';
import { tapeExportCommand } from '../../src/cli/commands/tape/export.js';
import { tapeJudgeCommand } from '../../src/cli/commands/tape/judge.js';
import { tapeShowCommand } from '../../src/cli/commands/tape/show.js';
import { readHistory } from '../../src/tape/history/exchanges.js';
import { openTape } from '../../src/tape/read.js';
import fc from '../support/properties.js';
import { recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf } from '../support/thorough.js';

const directory = useTemporaryDirectories();

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
});

afterEach(() => {
  vi.restoreAllMocks();
  // A tape with findings or differences is no error here.
  process.exitCode = undefined;
});

const run = (command: Command, ...words: string[]) => command.parseAsync(words, { from: 'user' });

/** Everything that reads a tape, by its command. */
const commands: Readonly<Record<string, (file: string) => Promise<unknown>>> = {
  show: (file) => run(tapeShowCommand(), file),
  'show --json': (file) => run(tapeShowCommand(), file, '--json'),
  judge: (file) => run(tapeJudgeCommand(), file),
  diff: (file) => run(tapeDiffCommand(), file, file),
  'export --format otlp': (file) => run(tapeExportCommand(), file, '--format', 'otlp'),
  'serve and replay': async (file) => {
    const history = await readHistory(await openTape(file));
    createTapeService({ history, clock: createVirtualClock() }).close();
  },
};

const WRONG = [null, -1, 0.5, 1e300, true, '', 'x', [], {}, [{}], 'redacted:0123456789abcdef'];

/** One way to damage the lines of a tape. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constantFrom('drop' as const, 'double' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), with: fc.nat() }),
  fc.record({
    kind: fc.constant('type' as const),
    at: fc.nat(),
    part: fc.nat(),
    to: fc.constantFrom(...WRONG),
  }),
);

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(text: string, given: Damage): string {
  const lines = text.split('\n').slice(0, -1);
  const at = given.at % lines.length;
  const line = lines[at] ?? '';
  switch (given.kind) {
    case 'cut':
      return text.slice(0, given.at % text.length);
    case 'drop':
      return lines.toSpliced(at, 1).join('\n').concat('\n');
    case 'double':
      return lines.toSpliced(at, 0, line).join('\n').concat('\n');
    case 'swap': {
      const other = given.with % lines.length;
      return lines
        .with(at, lines[other] ?? '')
        .with(other, line)
        .join('\n')
        .concat('\n');
    }
    case 'type':
      return lines
        .with(at, withPart(line, given.part, given.to))
        .join('\n')
        .concat('\n');
  }
}

/** The line with its n-th value, at any depth, replaced. */
function withPart(line: string, part: number, to: unknown): string {
  const count = { left: Number.POSITIVE_INFINITY, all: 0 };
  const replace = (_: string, value: unknown): unknown => {
    count.all++;
    return count.left-- === 0 ? to : value;
  };
  const whole = JSON.parse(line);
  JSON.stringify(whole, replace);
  count.left = part % count.all;
  return JSON.stringify(whole, replace) ?? 'null';
}

test.each(Object.keys(commands))(
  'tape %s: a damaged tape is read, or refused with file and line',
  async (name) => {
    const file = await recordRun({ directory: directory() }, (cri) => wholeLife(cri, 'web'));
    const whole = readFileSync(file, 'utf8');
    const bad = join(directory(), 'bad.tape');
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 3 }), async (all) => {
        writeFileSync(
          bad,
          all.reduce((text, each) => (isTape(text) ? damaged(text, each) : text), whole),
        );
        const outcome = await commands[name]?.(bad).catch((error: unknown) => error);
        if (!(outcome instanceof Error)) return;
        expect(outcome).toBeInstanceOf(InputError);
        expect(outcome.message).toContain(bad);
        expect(outcome.message).toMatch(/bad\.tape:\d+: |no whole line/);
      }),
      { numRuns: countOf(100, 20) },
    );
  },
);

/** Whether there are lines to damage. */
const isTape = (text: string): boolean =>
  text.includes('\n') &&
  text
    .trimEnd()
    .split('\n')
    .every((line) => line.startsWith('{') && line.endsWith('}'));
