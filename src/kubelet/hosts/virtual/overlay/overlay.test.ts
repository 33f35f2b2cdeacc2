import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../../../../test/support/temporary.js';
import { type Edit, edits, editText, goMinor, overlayText, writeOverlay } from './overlay.js';

const all: readonly Edit[] = [
  { file: 'a.go', find: 'one()', put: '$& + 1', count: 2 },
  { file: 'a.go', find: 'old', put: 'new', until: 25 },
  { file: 'a.go', find: 'later', put: 'newer', since: 26 },
  { file: 'b.go', find: 'elsewhere', put: '' },
];

describe('editText', () => {
  it('replaces each place, and keeps the old text where asked', () => {
    expect(editText('one() one() old', 'a.go', 'go1.25.3', all)).toBe('one() + 1 one() + 1 new');
  });

  it('makes the edits of the version of Go', () => {
    expect(editText('one() one() later', 'a.go', 'go1.26.8', all)).toBe('one() + 1 one() + 1 newer');
  });

  it.each([
    ['one() old', '"one()" 2 times, found it once'],
    ['one() one() one() old', '"one()" 2 times, found it 3 times'],
    ['one() one()', '"old" once, found it 0 times'],
  ])('names file, text and version when %s does not fit', (text, message) => {
    expect(() => editText(text, 'a.go', 'go1.24.1', all)).toThrow(`a.go of go1.24.1: expected ${message}`);
  });
});

describe('goMinor', () => {
  it('reads releases, and those of distributions', () => {
    expect(goMinor('go1.26.8')).toBe(26);
    expect(goMinor('go1.22.0-debian1')).toBe(22);
  });

  it.each(['go1.21.13', 'go1.27.0', 'devel +abc'])('refuses %s', (version) => {
    expect(() => goMinor(version)).toThrow(`virtual time needs Go 1.22 to 1.26; this is ${version}`);
  });
});

describe('writeOverlay', () => {
  const temporary = useTemporaryDirectories();
  let root: string;
  beforeEach(() => {
    root = temporary();
  });

  /** A library of Go that has nothing but the texts that the edits replace. */
  function writeLibrary(minor: number, without?: string): void {
    const texts = new Map(edits().map(({ file }) => [file, '']));
    for (const { file, find, count = 1, since = 0, until = minor } of edits()) {
      if (minor < since || minor > until || find === without) continue;
      // A text may be part of another one: `nanotime()` is counted once for each.
      texts.set(file, texts.get(file) + `${find};\n`.repeat(count));
    }
    for (const [file, text] of texts) {
      mkdirSync(dirname(join(root, 'src', file)), { recursive: true });
      writeFileSync(join(root, 'src', file), text);
    }
  }

  it.each([22, 23, 24, 25, 26])('writes the changed files for Go 1.%i', (minor) => {
    writeLibrary(minor);
    const overlay = writeOverlay({ version: `go1.${minor}.1`, root }, join(root, 'out'));
    const { Replace } = JSON.parse(readFileSync(overlay, 'utf8')) as { Replace: Record<string, string> };
    const files = new Set(edits().map(({ file }) => file));
    expect(Object.keys(Replace)).toHaveLength(files.size + 1);
    const scheduler = readFileSync(Replace[join(root, 'src/runtime/proc.go')] as string, 'utf8');
    expect(scheduler).toContain('list, delta = virtualPoll()');
    const own = readFileSync(Replace[join(root, 'src/runtime/virtual_time_linux.go')] as string, 'utf8');
    expect(own).toContain('package runtime');
  });

  it('stops at a file that lacks a text', () => {
    writeLibrary(26, '\tgcinit()\n');
    expect(() => writeOverlay({ version: 'go1.26.1', root }, join(root, 'out'))).toThrow(
      'runtime/proc.go of go1.26.1: expected "\\tgcinit()\\n" once, found it 0 times',
    );
  });
});

describe('overlayText', () => {
  it('is about the edits that are made, and not those of other versions of Go', () => {
    const other = all.map((edit) => (edit.until === 25 ? { ...edit, put: 'changed' } : edit));
    expect(overlayText('go1.26.8', other)).toBe(overlayText('go1.26.1', all));
    expect(overlayText('go1.25.3', other)).not.toBe(overlayText('go1.25.3', all));
    const wider = all.map((edit) => (edit.since === 26 ? { ...edit, since: 24 } : edit));
    expect(overlayText('go1.26.8', wider)).toBe(overlayText('go1.26.8', all));
  });
});

it('what the edits call is in our file', () => {
  const [own] = JSON.parse(overlayText('go1.26.8')) as [string];
  const called = new Set(
    edits().flatMap(({ put }) => [...put.matchAll(/\bvirtual[A-Z]\w*(?=\()/g)].map(String)),
  );
  // Declared by edits: in assembly, another name of a function of the runtime, and one whose package has several names.
  for (const name of ['virtualReal', 'virtualBlock', 'virtualSyscall']) called.delete(name);
  expect([...called].filter((name) => !own.includes(`func ${name}(`))).toEqual([]);
  expect(called.size).toBeGreaterThan(10);
});
