/** DynamoDB Local accepts any credentials without special characters, but requires some. */
export const LOCAL_CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_REGION: 'us-east-1',
} as const;
