import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packagePath } from '../../base/input/package-path.js';
import { UserError } from '../../base/input/user-error.js';
import type { About } from './about.js';

export interface EmbeddedTape {
  /** Title, such as the file's name. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface PageContent {
  readonly about: About;
  readonly tapes: readonly EmbeddedTape[];
}

/** Loads the page without its content. Throws UserError if the build has no page. */
export const loadPage = (): string => readFileSync(packagePath('dist/src/tape/viewer/page.html'), 'utf8');

/** Undefined if the build has no page. */
export function loadPageIfBuilt(): string | undefined {
  try {
    return loadPage();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** Writes the timeline of a tape as a page; undefined if the build has no page. */
export async function writePage(file: string, tape: string, about: About): Promise<string | undefined> {
  const page = loadPageIfBuilt();
  if (page === undefined) return undefined;
  await writeFile(
    file,
    fillPage(page, { about, tapes: [{ name: basename(tape), bytes: await readFile(tape) }] }),
  );
  return file;
}

/** Fills data into the page. No part of it is read as HTML or as a script. */
export function fillPage(page: string, { about, tapes }: PageContent): string {
  const parts: Readonly<Record<string, string>> = {
    TITLE: escaped(about.title ?? (tapes.map(({ name }) => name).join(' and ') || 'Mockri timeline')),
    CONNECT: about.live ? "'self'" : "'none'",
    ABOUT: JSON.stringify(about).replaceAll('<', '\\u003c'),
    TAPES: tapes.map(scriptOf).join('\n'),
  };
  return page.replace(/%(TITLE|CONNECT|ABOUT|TAPES)%/g, (_, name: string) => parts[name] ?? '');
}

function scriptOf({ name, bytes }: EmbeddedTape): string {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const base64 = Buffer.from(isCompressed ? bytes : gzipSync(bytes)).toString('base64');
  return `<script type="application/x-mockri-tape" data-name="${escaped(name)}">${base64}</script>`;
}

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
