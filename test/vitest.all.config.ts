import { testConfig } from './support/test-config.ts';

/** `npm run test:all`: everything. */
export default testConfig(['**/*.test.ts'], 'dynamodb-local');
