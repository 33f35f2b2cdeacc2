import type { Account, Group } from '../accounts.js';

export interface ImageContent {
  /** Names the content; the same key is the same image in every registry. */
  readonly key: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly username?: string;
  /** Precedes the command, unless the container's own command replaces both. */
  readonly entrypoint?: readonly string[];
  /** The default command of its containers. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pinned: boolean;
  /** Lines of its /etc/passwd and /etc/group in addition to those of every image. */
  readonly accounts?: readonly Account[];
  readonly groups?: readonly Group[];
  /** Whether it has a shell and the commands of busybox; a distroless image doesn't. */
  readonly hasShell: boolean;
  /** Executable files and the simulated programs that they are. */
  readonly programs: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}
