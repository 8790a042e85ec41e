import { buildApp } from './stack/build-app.ts';
import { checkedByNag } from './stack/nag-checks.ts';
import { ConfigurationError } from './stack/configuration.ts';

try {
  checkedByNag(buildApp().app).synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
