import { buildApp } from './stack/build-app.ts';
import { ConfigurationError } from './stack/configuration-error.ts';
import { withNagChecks } from './stack/nag-checks.ts';

try {
  withNagChecks(buildApp().app).synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
