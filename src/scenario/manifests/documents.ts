import { isObject } from '../../input/object.js';
import { type OpenYaml, openYaml } from '../../input/yaml.js';

/** Where a document begins or ends: `---` is never part of a text at the start of a line. */
const MARKER = /^(?:---|\.\.\.)(?=\s|$)/m;

/** The documents of a file, without those that are empty. Throws InputError for what is no YAML. */
export function openDocuments(text: string, file: string): OpenYaml[] {
  const documents: OpenYaml[] = [];
  let lines = 0;
  for (const [index, part] of text.split(MARKER).entries()) {
    // Lines keep their number, and what follows a marker in its line its column.
    const placed = `${'\n'.repeat(lines)}${index === 0 ? '' : '   '}${part}`;
    lines += part.split('\n').length - 1;
    if (hasContent(part)) documents.push(openYaml(placed, file));
  }
  return documents.filter(({ written }) => written !== null && written !== undefined);
}

const hasContent = (part: string): boolean =>
  part.split('\n').some((line) => line.trim() !== '' && !/^\s*(#|%)/.test(line));

/** Whether these are objects of Kubernetes, and no scenario. */
export const areManifests = (documents: readonly OpenYaml[]): boolean =>
  documents.some(({ written }) => isObject(written) && ('kind' in written || 'apiVersion' in written));
