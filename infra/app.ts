import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildApp } from './stack/build-app.ts';
import { compareWithDeployed } from './stack/compare-with-deployed.ts';
import { ConfigurationError } from './stack/stage-file.ts';

try {
  const { app, stack, configuration } = buildApp();
  await compareWithDeployed(stack, configuration);
  withNagChecks(app).synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Adds cdk-nag's AwsSolutions rules: synthesis fails where the app violates one. */
export function withNagChecks(app: App): App {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  return app;
}
