import { buildApp } from './stack/build-app.ts';
import { compareWithDeployed } from './stack/compare-with-deployed.ts';
import { ConfigurationError } from './stack/configuration-error.ts';
import { withNagChecks } from './stack/nag-checks.ts';

try {
  const { app, stack, configuration } = buildApp();
  await compareWithDeployed(stack, configuration);
  withNagChecks(app).synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
