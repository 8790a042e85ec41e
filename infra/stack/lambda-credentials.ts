/**
 * Replaces the SDK's chain of credential providers in the bundles: Lambda passes the credentials of a function in
 * environment variables, so the 134 KB for profiles, SSO, containers and instance metadata are not needed.
 */

interface LambdaCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/**
 * The provider that the SDK calls for credentials.
 *
 * @throws Error when the environment variables are not set
 */
export const defaultProvider = () => async (): Promise<LambdaCredentials> => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new Error('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set');
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
};
