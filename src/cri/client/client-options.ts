import type { ClientOptions } from '@grpc/grpc-js';
import { LARGEST_MESSAGE } from '../limits.js';

export const clientOptions: ClientOptions = {
  'grpc.max_receive_message_length': LARGEST_MESSAGE,
  'grpc.max_send_message_length': LARGEST_MESSAGE,
  // Finds a restarted runtime soon, as the kubelet's client does (its delays are 100 ms to 3 s).
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  'grpc.default_authority': 'localhost',
  'grpc.enable_channelz': 0,
  // A runtime's socket is never behind a proxy.
  'grpc.enable_http_proxy': 0,
  // Each client has its own connection.
  'grpc.use_local_subchannel_pool': 1,
};
