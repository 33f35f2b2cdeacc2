/** The file system that one container sees: image content, host mounts, and what its config implies. */
export interface FileSystem {
  readFile(path: string): Promise<Buffer>;
  writeFile(path: string, data: Buffer, options?: { append?: boolean; mode?: number }): Promise<void>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, time: bigint): Promise<void>;
}

export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'device' | 'pipe';
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  /** Unix nanoseconds. */
  readonly modifiedAt: bigint;
}

/** Codes as errno names them; the text after the colon is what a shell prints. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, text: string) {
    super(text);
    this.code = code;
  }
}

export type FileErrorCode =
  | 'ENOENT'
  | 'EEXIST'
  | 'ENOTDIR'
  | 'EISDIR'
  | 'EACCES'
  | 'EROFS'
  | 'ENOTEMPTY'
  | 'EINVAL'
  | 'ELOOP'
  | 'EXDEV'
  | 'EPERM'
  | 'ENOSPC';
