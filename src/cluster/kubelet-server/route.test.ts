import { expect, test } from 'vitest';
import { routeOf } from './route.js';

test.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', 'elsewhere'])(
  'there is no /%s',
  (first) => {
    expect(() => routeOf('GET', `/${first}/default/web/app`)).toThrow(
      expect.objectContaining({ status: 404 }),
    );
  },
);
