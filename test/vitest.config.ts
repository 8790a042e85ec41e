import { FOLDERS_OF_NPM_TEST, testConfig } from './support/test-config.ts';

/** `npm test`: whether the interface does what it says. */
export default testConfig([`{${FOLDERS_OF_NPM_TEST.join()}}/**/*.test.ts`], 'embedded');
