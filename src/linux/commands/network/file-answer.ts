import { FileError } from '../../fs/file-error.js';
import type { Process } from '../../process/process.js';
import type { Answer, HttpRequest } from './http-server.js';

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css',
  html: 'text/html',
  jpg: 'image/jpeg',
  js: 'application/javascript',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  txt: 'text/plain',
};

/** Returns a file of the container, or its directory's index; chooses the codes for missing and unreadable files. */
export async function fileAnswer(
  process: Process,
  request: HttpRequest,
  path: string,
  index: readonly string[] = ['index.html'],
): Promise<Answer> {
  try {
    const { kind } = await process.fs.stat(path);
    if (kind !== 'directory') return await content(request, path);
    if (!path.endsWith('/')) return { code: 301, headers: { location: `${path.split('/').at(-1)}/` } };
    const names = await process.fs.readdir(path);
    const name = index.find((one) => names.includes(one));
    if (name === undefined) return { code: 403 };
    return await content(request, `${path}${name}`);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { code: error.code === 'EACCES' ? 403 : 404 };
  }
}

async function content(request: HttpRequest, path: string): Promise<Answer> {
  const file = await request.open(path);
  const { size } = await file.stat();
  const extension = path.split('.').at(-1) ?? '';
  const type = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined;
  const headers = { 'content-type': type ?? 'application/octet-stream' };
  return { code: 200, headers, body: { file, size } };
}
