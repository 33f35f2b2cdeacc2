/** `t` is in seconds. */
export interface Explanation {
  readonly t: number;
  readonly text: string;
}
