/** A sentence that explains a moment of a run; `t` in seconds. */
export interface Explanation {
  readonly t: number;
  readonly text: string;
}
