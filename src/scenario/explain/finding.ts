/** Something that was found out about a run; `t` in seconds. */
export interface Finding {
  readonly t: number;
  readonly text: string;
}
