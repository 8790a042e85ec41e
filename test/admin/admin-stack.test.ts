import { beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import type { Table } from '../../lib/table/client.ts';
import { runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { startSimulatedCloudFormation } from '../support/simulated-cloudformation.ts';

let table: Table;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  table = await newTable();
  const url = await startSimulatedCloudFormation(
    {
      'Bugless-prod': { Url: 'https://example.org', TableName: table.name },
      'Bugless-dev': { TableName: (await newTable()).name },
      Another: { BucketName: 'b' },
    },
    { 'Bugless-prod': { INSIDER_GROUP: 'secret-team' }, 'Bugless-dev': { INSIDER_GROUP: 'secret-team' } },
  );
  environment = {
    ...LOCAL_CREDENTIALS,
    AWS_ENDPOINT_URL_CLOUDFORMATION: url,
    DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
    TABLE_NAME: 'not-this-one',
  };
});

describe('--stack', () => {
  it('selects the table of a stack, at any position of the arguments', async () => {
    const added = await runAdmin(
      ['--stack', 'Bugless-prod', 'group', 'add', 'staff', '--description', 'd'],
      environment,
    );
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const listed = await runAdmin(['group', 'list', '--json', '--stack=Bugless-prod'], environment);
    expect(JSON.parse(listed.stdout)).toEqual([{ id: 1, name: 'staff', description: 'd' }]);
  });

  it.each([
    ['Nosuch', "There is no stack 'Nosuch'"],
    ['Another', "The stack 'Another' (CREATE_COMPLETE) has no output TableName"],
  ])('says what is wrong with the stack %s', async (stack, message) => {
    const { code, stdout, stderr } = await runAdmin(['user', 'list', '--stack', stack], environment);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(message);
  });

  it('reports missing credentials and a missing region', async () => {
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, AWS_REGION: ___, ...without } = environment;
    const noCredentials = await runAdmin(
      ['user', 'list', '--stack', 'Bugless-prod', '--region', 'eu-west-1'],
      without,
    );
    expect(noCredentials).toMatchObject({ code: 1, stderr: expect.stringContaining('No AWS credentials') });
    const nowhere = await runAdmin(['user', 'list', '--stack', 'Bugless-prod'], without);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('No AWS region') });
  });
});
