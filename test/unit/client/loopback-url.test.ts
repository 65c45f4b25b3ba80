import { describe, expect, test } from '@jest/globals';
import { ClientError } from '../../../src/client/client-error.js';
import { parseLoopbackUrl } from '../../../src/client/loopback-url.js';

describe('loopback URL', () => {
  test.each([
    ['http://127.0.0.1:3000/mcp', 3000, '/mcp'],
    ['http://127.0.0.1:65535/', 65_535, '/'],
    ['http://127.0.0.1/mcp', 80, '/mcp'],
    ['http://127.0.0.1:1/a/b%20c', 1, '/a/b%20c'],
  ])('%s is taken', (url, port, path) => {
    expect(parseLoopbackUrl(url)).toEqual({ port, path });
  });

  test.each([
    ['another name of this machine', 'http://localhost:3000/mcp'],
    ['IPv6 loopback', 'http://[::1]:3000/mcp'],
    ['another loopback address', 'http://127.0.0.2:3000/mcp'],
    ['short form', 'http://127.1:3000/mcp'],
    ['hexadecimal', 'http://0x7f000001:3000/mcp'],
    ['decimal', 'http://2130706433:3000/mcp'],
    ['octal', 'http://0177.0.0.1:3000/mcp'],
    ['IPv4-mapped', 'http://[::ffff:127.0.0.1]:3000/mcp'],
    ['full-width digits', 'http://\uff11\uff12\uff17.0.0.1:3000/mcp'],
    ['trailing dot', 'http://127.0.0.1.:3000/mcp'],
    ['a longer name', 'http://127.0.0.1.example:3000/mcp'],
    ['user information', 'http://127.0.0.1@example.org/mcp'],
    ['user information before', 'http://user:secret@127.0.0.1:3000/mcp'],
    ['https', 'https://127.0.0.1:3000/mcp'],
    ['no path', 'http://127.0.0.1:3000'],
    ['query', 'http://127.0.0.1:3000/mcp?token=1'],
    ['fragment', 'http://127.0.0.1:3000/mcp#a'],
    ['port 0', 'http://127.0.0.1:0/mcp'],
    ['port too high', 'http://127.0.0.1:65536/mcp'],
    ['backslash', 'http://127.0.0.1:3000\\mcp'],
    ['line end in the path', 'http://127.0.0.1:3000/mcp\r\nX: y'],
    ['space before', ' http://127.0.0.1:3000/mcp'],
    ['line end after', 'http://127.0.0.1:3000/mcp\n'],
    ['broken percent-encoding', 'http://127.0.0.1:3000/%zz'],
    ['upper case', 'HTTP://127.0.0.1:3000/mcp'],
    ['empty', ''],
  ])('refused: %s', (_name, url) => {
    expect(() => parseLoopbackUrl(url)).toThrow(new ClientError('not_loopback'));
  });
});
