import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import fc from '../../../test/support/properties.js';
import { formatDuration, parseDuration } from './duration.js';
import { durationSchema, positiveDurationSchema, wholeNumberSchema } from './schemas.js';
import { nearest } from './suggest.js';
import { checkInput, InputError, parseYaml } from './yaml.js';
import { writeYaml } from './yaml-document.js';

describe('durations', () => {
  test.each([
    ['250ms', 250],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['0', 0],
    ['-2s', -2000],
    ['.5s', 500],
    ['10µs', 0.01],
  ])('%s is %d ms', (text, milliseconds) => expect(parseDuration(text)).toBe(milliseconds));

  test.each(['', '5', '5 s', 's', '1d', '1s2', 'five'])('%j is none', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );

  test.each([
    [0, '0s'],
    [300_000, '5m0s'],
    [3_723_500, '1h2m3.5s'],
    [10_000, '10s'],
    [1.5, '1.5ms'],
    [-250, '-250ms'],
  ])('%d ms is written %s, as Go does', (milliseconds, text) =>
    expect(formatDuration(milliseconds)).toBe(text),
  );

  test('what is written is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (micros) => {
        expect(parseDuration(formatDuration(micros / 1000))).toBeCloseTo(micros / 1000, 3);
      }),
    );
  });
});

test.each([
  ['tmies', 'times'],
  ['StartContianer', 'StartContainer'],
  ['Start', 'StartContainer'],
  ['t', undefined],
  ['xyz', undefined],
])('the word nearest to %s is %s', (word, expected) => {
  expect(nearest(word, ['times', 'after', 'StartContainer'])).toBe(expected);
});

describe('YAML', () => {
  const schema = z.strictObject({
    version: z.literal(1),
    faults: z
      .array(z.strictObject({ name: z.string(), when: z.strictObject({ times: z.number() }).optional() }))
      .optional(),
    mode: z.enum(['drop', 'block']).optional(),
  });
  const problems = (text: string): readonly string[] => {
    try {
      parseYaml(text, schema, 'f.yaml');
    } catch (error) {
      if (error instanceof InputError) return error.problems;
      throw error;
    }
    throw new Error('was accepted');
  };

  test('names line, path and the nearest key', () => {
    const [missing, unknown] = problems('version: 1\nfaults:\n  - name: a\n    when:\n      tmies: 3\n');
    expect(missing).toMatch(/^f\.yaml:4:5: faults\[0\]\.when\.times: /);
    expect(unknown).toBe('f.yaml:5:7: faults[0].when.tmies: unknown key; did you mean "times"?');
  });

  test('names the allowed values and the nearest of them', () => {
    expect(problems('version: 1\nmode: dorp\n')[0]).toBe(
      'f.yaml:2:1: mode: expected drop or block; given "dorp"; did you mean "drop"?',
    );
  });

  test('says that a value has the wrong kind', () => {
    expect(problems('version: "1"\n')[0]).toBe('f.yaml:1:1: version: expected 1; given the text "1"');
  });

  test('lists the allowed keys when none is near', () => {
    expect(problems('version: 1\nzzzzzz: 1\n')[0]).toBe(
      'f.yaml:2:1: zzzzzz: unknown key; allowed: version, faults, mode',
    );
  });

  test.each([
    [{ text: z.string() }, 'text: 0660', 'text: expected a text; given the number 432; write it in quotes'],
    [{ text: z.string() }, 'text: true', 'text: expected a text; given true; write it in quotes'],
    [{ text: z.string() }, 'text: [5]', 'text: expected a text; given [5]'],
    [
      { version: z.enum(['1.30', '1.31']) },
      'version: 1.31',
      'version: expected 1.30 or 1.31; given the number 1.31; write it in quotes',
    ],
    [
      { version: z.enum(['1.30', '1.31']) },
      'version: 1.30',
      'version: expected 1.30 or 1.31; given the number 1.3; write it in quotes',
    ],
    [{ mode: z.enum(['a', 'b']) }, 'mode: 1', 'mode: expected a or b; given 1'],
    [{ wait: positiveDurationSchema }, 'wait: 0s', 'wait: expected more than 0s; given "0s"'],
    [{ count: wholeNumberSchema(1) }, 'count: "0"', 'count: expected a whole number from 1; given 0'],
    [{ text: z.string() }, 'other: 5', 'text: expected a text; it is missing'],
    [{ text: z.string() }, 'text:', 'text: expected a text; given nothing'],
    [
      { map: z.strictObject({ a: z.int(), b: z.int() }) },
      'map: 5',
      'map: expected a mapping with a, b; given 5',
    ],
    [{ map: z.record(z.string(), z.int()) }, 'map: [1]', 'map: expected a mapping; given [1]'],
    [{ list: z.array(z.int()) }, 'list: a', 'list: expected a list; given "a"'],
    [{ list: z.array(z.int()).min(1) }, 'list: []', 'list: expected at least 1 element; given []'],
    [
      { list: z.array(z.int()).max(2) },
      'list: [1, 2, 3]',
      'list: expected at most 2 elements; given [1,2,3]',
    ],
    [{ flag: z.boolean() }, 'flag: maybe', 'flag: expected true or false; given "maybe"'],
    [{ one: z.literal(1) }, 'one: 2', 'one: expected 1; given 2'],
    [{ count: z.int().min(1) }, 'count: 0', 'count: expected at least 1; given 0'],
    [{ count: z.int() }, 'count: 1.5', 'count: expected a whole number; given 1.5'],
    [{ chance: z.number().gt(0).max(1) }, 'chance: 0', 'chance: expected more than 0; given 0'],
    [{ chance: z.number().gt(0).max(1) }, 'chance: 1.5', 'chance: expected at most 1; given 1.5'],
    [{ name: z.string().min(1) }, 'name: ""', 'name: expected at least 1 character; given ""'],
    [
      { delay: z.union([durationSchema, z.strictObject({ duration: durationSchema })]) },
      'delay: 5 sec',
      'delay: expected a duration such as "250ms", "1.5s" or "1h30m", or a mapping with duration; given "5 sec"',
    ],
    [{ odd: z.string().regex(/^a/, 'expected an a') }, 'odd: b', 'odd: expected an a; given "b"'],
  ])('says what is expected: %#', (shape, text, expected) => {
    expect(() => parseYaml(text, z.object(shape), 'f')).toThrow(new RegExp(`: ${escaped(expected)}$`));
  });

  test.each([
    ['{ stop: false }', 'f:1:3: stop: expected true; given false'],
    ['{ stop: true, x: 1 }', 'f:1:15: x: unknown key; allowed: file, keep, stop'],
    ['{ file: 5 }', 'f:1:3: file: expected a text; given the number 5; write it in quotes'],
    [
      '{ fil: x }',
      'f:1:1: file: expected a text; it is missing\nf:1:3: fil: unknown key; did you mean "file"?',
    ],
  ])('of two mappings, %s is taken to be the one that has its keys', (text, problem) => {
    const either = z.union([
      z.strictObject({ file: z.string(), keep: z.int().optional() }),
      z.strictObject({ stop: z.literal(true) }),
    ]);
    expect(() => parseYaml(text, either, 'f')).toThrow(new RegExp(`^${escaped(problem)}$`));
  });

  test('a number that begins with 0 is octal, as kubectl reads it', () => {
    const modes = z.object({ modes: z.array(z.unknown()) });
    const text = 'modes: [0640, -017, 0o640, 640, 0, 089, "0640", 0.5, 00]';
    expect(parseYaml(text, modes, 'f').modes).toEqual([416, -15, 416, 640, 0, 89, '0640', 0.5, 0]);
  });

  test.each([
    ["note: 'first line\n  and more'\nb: 1", { note: 'first line and more', b: 1 }],
    [
      "a:\n  note: 'first line\n  at the depth of its key\nand less\n\n  '\n  b: 1",
      { a: { note: 'first line at the depth of its key and less\n', b: 1 } },
    ],
    ['- "double\n\tquoted\n"', ['double quoted ']],
    ['a:\n  args: ["one",\n  "two\n"\n  ]\n  b: 1', { a: { args: ['one', 'two '], b: 1 } }],
    [
      'a:\n  args: [one,\ntwo, { three:\n 3\n}\n]\n  b: 1',
      { a: { args: ['one', 'two', { three: 3 }], b: 1 } },
    ],
    ['- [\n[a,\nb]\n]\n- c', [[['a', 'b']], 'c']],
    ['a: "b"# a comment\nc: [d]# another', { a: 'b', c: ['d'] }],
  ])('reads as kubectl what YAML 1.2 refuses: %j', (text, expected) => {
    expect(parseYaml(text, z.unknown(), 'f')).toEqual(expected);
  });

  test('lines are right after it', () => {
    const text = "version: 1\nfaults:\n- name: 'a\n  b'\n- name: [\n 'c\n'\n]\n- nmae: d\n";
    expect(problems(text)).toContain('f.yaml:9:3: faults[2].nmae: unknown key; did you mean "name"?');
  });

  test('words and numbers are those of YAML 1.1 as kubectl reads it; keys stay as they are written', () => {
    const text = `
      - [yes, No, ON, off, y, N, true, "yes", ~, null, TRUE]
      - [1_000, 0x1F, 0b101, 0o17, 08, 12e3, .5, 1., +1, -0x10, 1:30, 2001-01-01, 1_0.5, 0_7, 1__0]
      - {on: 1, 08: 2, 1.10: 3, true: 4, "yes": 5}`;
    expect(parseYaml(text, z.unknown(), 'f')).toEqual([
      [true, false, true, false, true, false, true, 'yes', null, null, true],
      [1000, 31, 5, 15, 8, 12000, 0.5, 1, 1, -16, '1:30', '2001-01-01', 10.5, 7, 10],
      { on: 1, '08': 2, '1.10': 3, true: 4, yes: 5 },
    ]);
  });

  test('what is written is read back, also by kubectl', () => {
    const value = { word: 'yes', number: '0640', y: ['n', 'on', true, 8, '1_000', null] };
    expect(writeYaml(value)).toContain('word: "yes"');
    expect(parseYaml(writeYaml(value), z.unknown(), 'f')).toEqual(value);
  });

  test('mappings are merged', () => {
    const text = 'a: &a {x: 1, y: 2}\nb: &b {<<: *a, y: 3}\nc: {z: 4, <<: [*b, *a]}\n';
    expect(parseYaml(text, z.unknown(), 'f')).toEqual({
      a: { x: 1, y: 2 },
      b: { x: 1, y: 3 },
      c: { x: 1, y: 3, z: 4 },
    });
    expect(() => parseYaml('a: 1\n<<: 2\n', z.unknown(), 'f')).toThrow(
      'f:2:1: only mappings can be merged with <<',
    );
  });

  test('says where the syntax breaks', () => {
    expect(problems('version: 1\nfaults: [\n')[0]).toMatch(/^f\.yaml:\d+:\d+: /);
  });

  test('a key that is there twice, and a second document', () => {
    expect(problems('version: 1\nseed: 2\n"seed" : 3\n')).toEqual([
      'f.yaml:3:1: the key "seed" is given twice; give it once',
    ]);
    expect(problems('version: 1\nversion: 1\n')[0]).toBe(
      'f.yaml:2:1: the key "version" is given twice; give it once',
    );
    expect(problems('version: 1\n---\nversion: 1\n')[0]).toMatch(
      /^f\.yaml:2:1: a second document begins here/,
    );
  });

  test('no more of a long text than one reads', () => {
    const [told = ''] = problems(`one\n# comment\n${'long '.repeat(500)}\n`);
    expect(told.length).toBeLessThan(200);
    expect(told).toMatch(/^f\.yaml:3:1: .*…$/);
  });

  test('a file that is none of text', () => {
    expect(problems('version: 1\nseed\u0000: 2\n')).toEqual([
      'f.yaml:2:5: a control character (0x00); is this a text file?',
    ]);
    expect(problems('\u001b[31mred')[0]).toMatch(/^f\.yaml:1:1: a control character \(0x1b\)/);
  });

  test('one of several kinds, each key of theirs once', () => {
    const common = { apiVersion: z.string(), name: z.string().optional() };
    const kinds = z.discriminatedUnion('kind', [
      z.strictObject({ ...common, kind: z.literal('Pod') }),
      z.strictObject({ ...common, kind: z.literal('List') }),
    ]);
    const told = (text: string) => () => parseYaml(text, kinds, 'f');
    expect(told('apiVersion: v1\nkind: Deployment\n')).toThrow(
      'f:2:1: kind: expected Pod or List; given "Deployment"',
    );
    expect(told('apiVersion: v1\n')).toThrow('f:1:1: kind: expected Pod or List; it is missing');
    expect(told('hello')).toThrow('f:1:1: expected a mapping with apiVersion, name, kind; given "hello"');
  });

  test('a value without lines is placed by its source', () => {
    expect(() => checkInput({ version: 2 }, schema, 'request body')).toThrow(/^request body: version: /);
  });
});

const escaped = (text: string): string => text.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
