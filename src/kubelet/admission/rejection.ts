export interface Rejection {
  readonly reason: string;
  readonly message: string;
}
