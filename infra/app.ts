import { buildApp } from './build-app.ts';
import { checkedByNag } from './checked-by-nag.ts';
import { ConfigurationError } from './configuration.ts';

try {
  checkedByNag(buildApp().app).synth();
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
