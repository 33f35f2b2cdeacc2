import { Client, credentials, type Metadata, type StatusObject } from '@grpc/grpc-js';

/** A call with plain grpc-js, to read the status with the trailers. */
export function rawCall(endpoint: string, path: string): Promise<StatusObject & { metadata: Metadata }> {
  const client = new Client(endpoint.replace('unix://', 'unix:'), credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  return new Promise((resolve) => {
    client
      .makeUnaryRequest(path, same, same, Buffer.alloc(0), () => {})
      .on('status', (status) => {
        client.close();
        resolve(status);
      });
  });
}
