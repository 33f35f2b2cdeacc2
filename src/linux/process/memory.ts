const MIB = 1024 * 1024;

/** What one process holds at most, in bytes. */
export const PROCESS_MEMORY = 128 * MIB;
/** What the processes of one container hold at most, in bytes, unless its memory limit is lower. */
export const CONTAINER_MEMORY = 256 * MIB;
