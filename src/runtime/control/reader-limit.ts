import { Problem } from './problem.js';

/** Admits one more reader, or throws Problem. The returned function releases its place; calling it twice is safe. */
export type Admit = () => () => void;

export function limitReaders(path: string, most: number): Admit {
  let readers = 0;
  return () => {
    if (readers >= most) throw new Problem(503, `${path} has ${most} readers; end one of them`);
    readers++;
    let released = false;
    return () => {
      if (released) return;
      released = true;
      readers--;
    };
  };
}
