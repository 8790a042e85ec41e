import { buildApp } from './build-app.ts';
import { ConfigurationError } from './configuration.ts';

try {
  buildApp().app.synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
