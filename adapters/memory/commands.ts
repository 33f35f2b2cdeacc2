import type { Programs } from '../../src/linux/commands/programs.js';
import type { ImageContent } from '../../src/linux/fs/image-content.js';
import type { ImageDirectory } from '../../src/linux/fs/image-tree.js';
import type { StartedPrograms } from './containers/resolve-program.js';

export interface Commands {
  readonly programs: Programs;
  /** Undefined if `programs` are the user's own, which may read anything. */
  readonly started: StartedPrograms | undefined;
  /** For an image with unknown contents: every other program exists, and succeeds. */
  readonly anyPrograms: Programs;
  readonly decide: typeof import('./guess/decide.js').decide;
  readonly needsImage: typeof import('./guess/decide.js').needsImage;
  rootOf(image: ImageContent | undefined): ImageDirectory;
  /** The files of a pulled image; undefined for others. */
  imageRoot(reference: string): ImageDirectory | undefined;
}
