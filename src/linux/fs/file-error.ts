import { ExpectedError } from '../../base/input/expected-error.js';

/** Codes are errno names; commands print the message after the colon. */
export class FileError extends ExpectedError {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode, text: string = FILE_ERRORS[code]) {
    super(text);
    this.code = code;
  }
}

/** strerror(3) of Linux. */
const FILE_ERRORS = {
  ENOENT: 'No such file or directory',
  EEXIST: 'File exists',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EROFS: 'Read-only file system',
  ENOTEMPTY: 'Directory not empty',
  EINVAL: 'Invalid argument',
  ELOOP: 'Too many levels of symbolic links',
  EXDEV: 'Cross-device link',
  EPERM: 'Operation not permitted',
  ENOSPC: 'No space left on device',
  EBUSY: 'Resource busy',
  ENFILE: 'Too many open files in system',
  ENAMETOOLONG: 'File name too long',
  ENXIO: 'No such device or address',
  EIO: 'I/O error',
} as const;

export type FileErrorCode = keyof typeof FILE_ERRORS;

export const isFileErrorCode = (code: unknown): code is FileErrorCode =>
  typeof code === 'string' && Object.hasOwn(FILE_ERRORS, code);
