/** A request that is answered with an error; the text is the whole body, as the kubelet writes it. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** The HTTP status. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
