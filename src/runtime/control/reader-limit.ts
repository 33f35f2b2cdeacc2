import { Problem } from './problem.js';

/** Admits one more reader, or throws a problem; returns how to release its place, once or more often. */
export type Admit = () => () => void;

/** Limits how many readers of a path there are at a time. */
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
