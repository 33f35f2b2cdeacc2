import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

export const SERVING = 1;
/** The service is not healthy. */
export const NOT_SERVING = 2;
/** The server does not know the service. */
export const SERVICE_UNKNOWN = 3;

export const healthPath = (rpc: 'Check' | 'Watch'): string => `/grpc.health.v1.Health/${rpc}`;

/** HealthCheckRequest.service, field 1. */
export function decodeService(bytes: Uint8Array): string {
  const reader = new BinaryReader(bytes);
  let service = '';
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (field === 1) service = reader.string();
    else reader.skip(wireType);
  }
  return service;
}

/** HealthCheckResponse.status, field 1. */
export const encodeStatus = (status: number): Buffer =>
  Buffer.from(new BinaryWriter().uint32(8).int32(status).finish());
