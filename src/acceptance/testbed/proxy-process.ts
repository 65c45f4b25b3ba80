/*
 * The embedded proxy as a process of its own, so that its memory can be watched apart from the pack's. Started by
 * bed.ts with a channel: gets its options, sends its port, ends with its parent.
 */
import { startProxy, type ProxyOptions } from './proxy.js';

process.once('message', (options: ProxyOptions) => {
  import('httpxy')
    .then((httpxy) => startProxy(httpxy, options))
    .then(({ port }) => process.send?.({ port }))
    .catch(() => process.exit(1));
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole group; the parent decides when this ends.
process.on('SIGINT', () => undefined);
