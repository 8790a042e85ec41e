/** The CDK context or the stage file is invalid. The message says what to change. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}
