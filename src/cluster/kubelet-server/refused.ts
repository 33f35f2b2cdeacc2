/** Ends a request with an error; the text is the whole body, like the kubelet's. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
