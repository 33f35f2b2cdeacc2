import { type ReadTape, readTape, TapeProblem } from '../model/reader.js';

/** Tapes in the page, compressed and in base64. Throws TapeProblem. */
export async function embeddedTapes(): Promise<ReadTape[]> {
  const tapes: ReadTape[] = [];
  for (const element of document.querySelectorAll('script[type="application/x-mockri-tape"]')) {
    const name = element.getAttribute('data-name') ?? 'tape';
    const base64 = element.textContent?.trim() ?? '';
    element.remove();
    tapes.push(await tapeOf(name, bytesOf(base64)));
  }
  return tapes;
}

/** Reads a file chosen by the user. Throws TapeProblem. */
export const chosenTape = async (file: File): Promise<ReadTape> =>
  tapeOf(file.name, new Uint8Array(await file.arrayBuffer()));

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

async function tapeOf(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<ReadTape> {
  const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return readTape(name, isCompressed ? await decompressed(name, bytes) : new TextDecoder().decode(bytes));
}

async function decompressed(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const decoder = new TextDecoder();
  const parts: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    if (parts.length === 0)
      throw new TapeProblem(`${name}: the compressed data is damaged: ${(error as Error).message}`);
  }
  return parts.join('');
}
