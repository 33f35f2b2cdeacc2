import type { Endpoint, SocketState } from '../../base/clock/network/loopback.js';

const SOCKETS_HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';

/** By include/net/tcp_states.h. */
const ESTABLISHED = '01';
const LISTEN = '0A';

/** /proc/net/tcp and tcp6: the sockets of the simulated network, never those of this machine. */
export const socketsText = (sockets: readonly SocketState[]): string =>
  SOCKETS_HEAD + sockets.map(row).join('');

function row({ local, remote }: SocketState, index: number): string {
  const state = remote === undefined ? LISTEN : ESTABLISHED;
  const ends = `${hexadecimal(local)} ${hexadecimal(remote ?? { address: '0.0.0.0', port: 0 })}`;
  return `${String(index).padStart(4)}: ${ends} ${state} 00000000:00000000 00:00000000 00000000     0        0 0 1\n`;
}

const DEVICES_HEAD = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
`;

/** /proc/net/dev. Devices count nothing. */
export const devicesText = (added: readonly string[]): string =>
  DEVICES_HEAD +
  ['lo', 'eth0', ...added].map((name) => `${name.padStart(6)}:${'       0'.repeat(16)}\n`).join('');

/** An IPv4 address and a port as the kernel of a little-endian machine prints them. */
function hexadecimal({ address, port }: Endpoint): string {
  const bytes = address.split('.').reverse().map(Number);
  return `${bytes.map((byte) => digits(byte, 2)).join('')}:${digits(port, 4)}`;
}

const digits = (value: number, width: number): string =>
  value.toString(16).padStart(width, '0').toUpperCase();
