import { afterFile } from './after-file.ts';
import { dynamoDbEndpoint } from './dynamodb-endpoint.ts';
import { type FaultProxy, type FaultProxyOptions, startFaultProxy } from './fault-proxy.ts';

/** A proxy before the database of the tests, which stops after the tests of the file. */
export async function useFaultProxy(options: Omit<FaultProxyOptions, 'target'> = {}): Promise<FaultProxy> {
  const proxy = await startFaultProxy({ target: dynamoDbEndpoint(), ...options });
  afterFile(() => proxy.stop());
  return proxy;
}
