import type { Account, Group } from '../accounts.js';

/** What a registry answers for a reference. */
export interface ImageContent {
  /** Names the content; the same key is the same image, from whatever registry. */
  readonly key: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly username?: string;
  /** What comes before the command, unless the container's own command replaces both. */
  readonly entrypoint?: readonly string[];
  /** What its containers run by default. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly pinned: boolean;
  /** Lines of its /etc/passwd and /etc/group beyond those that every image has. */
  readonly accounts?: readonly Account[];
  readonly groups?: readonly Group[];
  /** Whether it has a shell and the commands of busybox; a distroless image has not. */
  readonly hasShell: boolean;
  /** Executable files and the simulated programs that they are. */
  readonly programs: Readonly<Record<string, string>>;
  /** Its other files, by path. */
  readonly files: Readonly<Record<string, string>>;
}
