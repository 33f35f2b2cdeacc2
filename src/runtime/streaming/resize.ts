import type { TerminalSize } from '../engine/backend.js';

/** Longest text of one size; a longer text isn't a size. */
const MAX_TEXT = 1024;

/** Reads terminal sizes as JSON objects, cut anywhere. A slow reader gets only the last one. */
export function terminalSizes(source: AsyncIterable<Buffer>): AsyncIterable<TerminalSize> {
  const latest = new Latest<TerminalSize>();
  void readSizes(source, latest);
  return latest;
}

async function readSizes(source: AsyncIterable<Buffer>, latest: Latest<TerminalSize>): Promise<void> {
  let text = '';
  try {
    for await (const chunk of source) {
      text += chunk.toString('latin1');
      // Only the last size counts, and it begins at the last brace before its end.
      const end = text.lastIndexOf('}');
      const size = end < 0 ? undefined : parseSize(text.slice(text.lastIndexOf('{', end), end + 1));
      if (size !== undefined) latest.set(size);
      text = text.slice(Math.max(end + 1, text.length - MAX_TEXT));
    }
  } catch {
    // The client is gone; the session ends through its signal.
  } finally {
    latest.end();
  }
}

function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text) as { Width?: unknown; Height?: unknown };
    return isSide(width) && isSide(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** remotecommand.TerminalSize has 16-bit fields. */
function isSide(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff;
}

class Latest<T> {
  #value: T | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  set(value: T): void {
    this.#value = value;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const value = this.#value;
      this.#value = undefined;
      if (value !== undefined) yield value;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
