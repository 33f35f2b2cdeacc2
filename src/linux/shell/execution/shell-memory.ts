import { costOfTexts } from '../../process/memory.js';
import type { Process } from '../../process/process.js';
import { ShellError } from './control-flow.js';

/** Nested commands: functions, `eval`, `.`, traps, substitutions and subshells alike. */
const MAX_DEPTH = 4000;
/** Memory of a command that waits for a nested one, in bytes. */
const LEVEL_COST = 4096;

/** The memory of a shell's process: the shell's own data, and data that running commands hold until they end. */
export class ShellMemory {
  readonly #process: Process;
  #kept = 0;
  #held = 0;
  #depth = 0;

  /** A child is a copy of its parent, and may outlive it. */
  constructor(process: Process, parent?: ShellMemory) {
    this.#process = process;
    if (parent === undefined) return;
    this.#depth = parent.#depth;
    this.keep(parent.#kept + parent.#held);
  }

  /** Takes bytes until a negative number returns them. */
  keep(bytes: number): void {
    this.#process.allocate(bytes);
    this.#kept += bytes;
  }

  /** Returns everything, because another program may replace the shell. */
  close(): void {
    this.keep(-this.#kept);
    this.hold(-this.#held);
  }

  /** Takes bytes until the present command ends. */
  hold(bytes: number): void {
    this.#process.allocate(bytes);
    this.#held += bytes;
  }

  holdTexts(texts: readonly string[]): void {
    this.hold(costOfTexts(texts));
  }

  /** Begins a nested command; pass the result to `leave`. Throws ShellError if it is too deep. */
  enter(): number {
    if (this.#depth >= MAX_DEPTH) throw new ShellError('commands are nested too deeply');
    const outer = this.#held;
    this.hold(LEVEL_COST);
    this.#depth++;
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.hold(outer - this.#held);
  }
}
