const MIB = 1024 * 1024;

/** What one process holds at most, in bytes. */
export const PROCESS_MEMORY = 128 * MIB;
/** What the processes of one container hold at most, in bytes, unless its memory limit is lower. */
export const CONTAINER_MEMORY = 256 * MIB;
/** What all processes of a node hold at most, in bytes. */
const NODE_MEMORY = 512 * MIB;

/** The memory that all processes of a node share. */
export class NodeMemory {
  #used = 0;

  /** Takes bytes, or gives back a negative number of them; false, and nothing taken, if there are not enough. */
  take(bytes: number): boolean {
    if (bytes > 0 && this.#used + bytes > NODE_MEMORY) return false;
    this.#used += bytes;
    return true;
  }
}
