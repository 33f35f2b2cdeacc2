import type { ClientOptions } from '@grpc/grpc-js';
import { LARGEST_MESSAGE } from '../limits.js';

/** Options of every connection to a runtime with grpc-js. */
export const clientOptions: ClientOptions = {
  'grpc.max_receive_message_length': LARGEST_MESSAGE,
  'grpc.max_send_message_length': LARGEST_MESSAGE,
  // A runtime that is back is found soon, as with the kubelet's client (its delays are 100 ms to 3 s).
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.default_authority': 'localhost',
  'grpc.enable_channelz': 0,
  // A proxy is never meant for a runtime's socket.
  'grpc.enable_http_proxy': 0,
  // Each client has its own connection.
  'grpc.use_local_subchannel_pool': 1,
};
