import type * as z from 'zod';
import { startGateway } from './gateway/gateway.ts';
import { printFailure } from './print-failure.ts';
import { loadSources } from './sources.ts';
import type { workerReady } from './workers.ts';

/** A process of `npm start -- --workers N`. Its argument is the port. */

// A terminal sends it to all processes; the one that started this one ends it.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(1));

const gateway = await startGateway({
  routes: await loadSources(),
  port: Number(process.argv[2]),
  onFailure: printFailure,
});
process.on('SIGTERM', () => {
  gateway.stop().finally(() => process.exit(0));
});
process.send?.({ url: gateway.url } satisfies z.input<typeof workerReady>);
