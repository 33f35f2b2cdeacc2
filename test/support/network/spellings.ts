import { networkInterfaces } from 'node:os';

/** The addresses of this machine's interfaces, including loopback. */
const own = Object.values(networkInterfaces()).flatMap((all = []) => all);

/** Spellings of this machine's addresses: loopback, its interfaces, and IPv6 addresses that embed them. */
export const SPELLINGS: readonly string[] = [
  ...[
    'localhost',
    'LOCALHOST',
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
  ],
  ...['127.0.0.2', '127.63.255.255', '0.0.0.0', '0', '0.0.0.1', '00000177.1', '127.000.000.001'],
  ...[
    '::1',
    '0:0:0:0:0:0:0:1',
    '0000:0000:0000:0000:0000:0000:0000:0001',
    '0::1',
    '::0001',
    '::1%lo',
    '::',
    '0::0',
  ],
  ...[
    '::ffff:127.0.0.1',
    '::FFFF:7f00:1',
    '0:0:0:0:0:ffff:127.0.0.1',
    '::ffff:0.0.0.0',
    '::ffff:127.0.0.1%lo',
  ],
  ...[
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
  ],
  ...own.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address)),
  ...own.filter(({ family }) => family === 'IPv4').map(({ address }) => `::ffff:${address}`),
];

/** In a URL, which has no zones. */
export const inUrl = (host: string): string => (host.includes(':') ? `[${host.replace(/%.*/, '')}]` : host);
