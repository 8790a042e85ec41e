import { createServer } from 'node:http';
import { listen } from '../../infra/local/listen.ts';
import { afterFile } from './after-file.ts';

/** The outputs of each stack, by its name. */
export type Stacks = Record<string, Record<string, string>>;

/** The account whose credentials every call has. */
export const SIMULATED_ACCOUNT = '123456789012';

/**
 * Starts a server that responds to DescribeStacks and GetTemplate as CloudFormation, and to GetCallerIdentity as STS, and stops
 * after the tests of the file.
 *
 * @param settings environment variables of a function of each stack, by the name of the stack
 * @param templates of stacks, instead of one with such a function
 * @returns its URL
 */
export async function startSimulatedCloudFormation(
  stacks: Stacks,
  settings: Stacks = {},
  templates: Readonly<Record<string, object>> = {},
): Promise<string> {
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const query = new URLSearchParams(body);
    const name = query.get('StackName') ?? '';
    if (query.get('Action') === 'GetCallerIdentity') {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(CALLER_IDENTITY);
      return;
    }
    const isThere = [stacks, settings, templates].some((known) => name in known);
    if (query.get('Action') === 'GetTemplate' && isThere) {
      const body = templates[name] ?? withFunction(settings[name] ?? {});
      response.writeHead(200, { 'content-type': 'text/xml' }).end(templateResponse(body));
      return;
    }
    const outputs = stacks[name];
    response.writeHead(outputs === undefined ? 400 : 200, { 'content-type': 'text/xml' });
    response.end(outputs === undefined ? noSuchStack(name) : described(name, outputs));
  });
  const { url, stop } = await listen(server);
  afterFile(stop);
  return url;
}

const NAMESPACE = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';

const CALLER_IDENTITY =
  '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>' +
  `<Arn>arn:aws:iam::${SIMULATED_ACCOUNT}:user/ann</Arn><UserId>A</UserId><Account>${SIMULATED_ACCOUNT}</Account>` +
  '</GetCallerIdentityResult></GetCallerIdentityResponse>';

const noSuchStack = (name: string) =>
  `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>ValidationError</Code>` +
  `<Message>Stack with id ${name} does not exist</Message></Error><RequestId>1</RequestId></ErrorResponse>`;

function described(name: string, outputs: Record<string, string>): string {
  const members = Object.entries(outputs).map(
    ([key, value]) => `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  return (
    `<DescribeStacksResponse xmlns="${NAMESPACE}"><DescribeStacksResult><Stacks><member>` +
    `<StackName>${name}</StackName><CreationTime>2026-01-01T00:00:00Z</CreationTime>` +
    `<StackStatus>CREATE_COMPLETE</StackStatus><Outputs>${members.join('')}</Outputs>` +
    '</member></Stacks></DescribeStacksResult></DescribeStacksResponse>'
  );
}

/** CDK's template of a stack with a function, beside other resources. */
const withFunction = (variables: Record<string, string>) => ({
  Resources: {
    Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
    Function: {
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { ...variables, TABLE_NAME: { Ref: 'Table' } } } },
    },
  },
});

function templateResponse(body: object): string {
  const escaped = JSON.stringify(body).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return (
    `<GetTemplateResponse xmlns="${NAMESPACE}"><GetTemplateResult>` +
    `<TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`
  );
}
