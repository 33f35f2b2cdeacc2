import { readTextInput } from '../../../base/input/text-file.js';
import { InputError } from '../../../base/input/yaml.js';
import { readDocument } from '../../../base/input/yaml-document.js';
import { oneLine } from '../../../base/markup/terminal.js';
import { isTape } from '../../explore/subject/subject.js';
import type { SeenFile } from '../facts.js';
import { LARGEST_SEEN, MOST_SEEN, tooMuch } from './limits.js';
import { objectsOf, readObject, readRunJson } from './object-reader.js';
import { partsOf } from './parts.js';
import { readLines } from './read-lines.js';
import { readTape } from './tape-reader.js';

/** Detects the format. Throws InputError for an unreadable file, and if nothing in it is recognized. */
export async function readSeen(file: string): Promise<SeenFile> {
  if (isTape(file)) return readTape(file);
  const text = await readTextInput(file, '--saw', LARGEST_SEEN);
  if (text.trim() === '') throw new InputError([`--saw: ${file}: it is empty`]);
  const read = readObjects(text, file) ?? readLines(text, file);
  if (read.seen.length > MOST_SEEN) throw tooMuch(file);
  if (read.seen.length > 0) return read;
  const example = read.examples[0];
  throw new InputError([
    `--saw: ${file}: unknown format${example === undefined ? '' : `; it begins with ${JSON.stringify(oneLine(example).slice(0, 60))}`}; expected the output of kubectl get pod, describe pod, get events or get node, crictl ps -a, the kubelet's log, or a tape`,
  ]);
}

/** Text that may be an object: JSON, or YAML of the API. */
const LIKE_OBJECT = /^\s*[[{]|^(?:---\s*\n)?(?:apiVersion|kind|items|metadata):/m;

/** Undefined for text that is not API objects: one, a list, or several documents. */
function readObjects(text: string, file: string): SeenFile | undefined {
  if (!LIKE_OBJECT.test(text.slice(0, 4096))) return undefined;
  const values = documentsOf(text);
  if (values === undefined) return undefined;
  const objects = values.flatMap(objectsOf);
  const read = objects.map((object) => readObject(object) ?? readRunJson(object));
  const seen = read.flatMap((each) => each ?? []);
  if (seen.length === 0) return undefined;
  const unread = read.filter((each) => each === undefined).length;
  return {
    file,
    seen,
    parts: partsOf(seen),
    lines: { read: objects.length - unread, unread },
    examples: unread > 0 ? [`${unread} objects of other kinds`] : [],
  };
}

/** Each YAML document or JSON line; undefined without one. */
function documentsOf(text: string): unknown[] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    // It has several documents.
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.every((line) => line.startsWith('{'))) {
    const values = lines.map(parsedLine);
    if (values.every((value) => value !== undefined)) return values;
  }
  const parts = text.split(/^---\s*$/m).filter((part) => part.trim() !== '');
  const documents = parts.map((part) => readDocument(part));
  return documents.every(({ document }) => document !== undefined)
    ? documents.map(({ value }) => value)
    : undefined;
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
