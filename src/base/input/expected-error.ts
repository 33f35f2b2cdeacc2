/** An ordinary failure, such as ENOENT: it has no stack trace, which would cost more than the call. */
export class ExpectedError extends Error {
  constructor(message: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}
