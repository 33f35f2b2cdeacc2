import * as fs from 'node:fs/promises';
import { basename, dirname, normalize } from 'node:path';
import { HostFileError, type HostRoot, openBelow, resolvePath, rootAt } from './pinned.js';

interface Making {
  readonly makes: boolean;
  readonly mode?: number | undefined;
}

/** Maximum number of places before stale ones are removed. */
const FIRST_SWEEP = 256;

/**
 * Host paths from a runtime's client. The client's own symlinks are followed, but not those created by a container: in
 * a directory that containers can write, a symlink must not lead outside it.
 */
export class HostPlaces {
  readonly #written = new Set<string>();
  #sweepAt = FIRST_SWEEP;

  /** Resolves a path. Rejects with the system's error, or with HostFileError for a container's symlink. */
  find(path: string): Promise<HostRoot> {
    return this.#find(path, { makes: false });
  }

  /** Like `find`, but creates missing directories with this mode. */
  make(path: string, mode?: number): Promise<HostRoot> {
    return this.#find(path, { makes: true, mode });
  }

  /**
   * Opens a regular file, never a device, pipe or symlink, because a container may own the directory. Rejects like
   * `find`.
   */
  async open(path: string, flags: number, mode?: number): Promise<fs.FileHandle> {
    return openBelow(await this.find(dirname(path)), [basename(path)], flags, mode);
  }

  async #find(path: string, how: Making): Promise<HostRoot> {
    const direct = await rootAt(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return undefined;
    });
    // An open file's path has no symlinks: there were none.
    if (direct?.path === withoutSlash(normalize(path))) return direct;
    return this.#resolve(path, how);
  }

  /** Containers can write there from now on; their symlinks stay even after they are gone. */
  async write({ path, isDirectory }: HostRoot): Promise<void> {
    if (!isDirectory) return;
    this.#written.add(path);
    if (this.#written.size <= this.#sweepAt) return;
    for (const place of this.#written) {
      const isThere = await fs.lstat(place).then(
        () => true,
        () => false,
      );
      if (!isThere) this.#written.delete(place);
    }
    this.#sweepAt = Math.max(FIRST_SWEEP, 2 * this.#written.size);
  }

  async #resolve(path: string, { makes, mode }: Making): Promise<HostRoot> {
    const whole = await rootAt('/');
    const bounds = new Set<string>();
    const demandInside = (place: string) => {
      for (const bound of bounds)
        if (!isBelow(place, bound))
          throw new HostFileError(
            'ELOOP',
            `it leads through a link that leaves ${bound}, where containers write`,
          );
    };
    const names = await resolvePath(whole, path, {
      follow: (directory) => {
        for (const place of this.#written) if (isBelow(directory, place)) bounds.add(place);
      },
      ...(makes && { make: demandInside, mode }),
      isWhole: true,
    });
    const place = `/${names.join('/')}`;
    demandInside(place);
    const found = await rootAt(place);
    if (found.path !== place) throw new HostFileError('ENOENT', 'it was replaced meanwhile');
    return found;
  }
}

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);

const withoutSlash = (path: string): string => (path === '/' ? path : path.replace(/\/$/, ''));
