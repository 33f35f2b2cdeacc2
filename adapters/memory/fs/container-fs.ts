import type { Clock } from '../../../src/clock/clock.js';
import type { ContainerSpec } from '../../../src/engine/backend.js';
import type { ImageContent } from '../images/catalog.js';
import { FileError, type FileSystem } from '../process/file-system.js';
import type { ContainerView } from '../process/process.js';

export interface ContainerFsOptions {
  readonly clock: Clock;
  readonly spec: ContainerSpec;
  readonly image: ImageContent | undefined;
  readonly view: ContainerView;
}

export function createContainerFs(_options: ContainerFsOptions): FileSystem {
  const none = async (): Promise<never> => {
    throw new FileError('ENOENT', 'No such file or directory');
  };
  return {
    readFile: none,
    writeFile: none,
    stat: none,
    lstat: none,
    readdir: none,
    mkdir: none,
    rmdir: none,
    unlink: none,
    rename: none,
    symlink: none,
    link: none,
    readlink: none,
    chmod: none,
    utimes: none,
  };
}
