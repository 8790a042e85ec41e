import { createServer } from 'node:http';
import { listen } from '../../infra/local/listen.ts';
import { afterFile } from './after-file.ts';

/** The outputs of each stack, by its name. */
export type Stacks = Record<string, Record<string, string>>;

/**
 * Starts a server that responds to DescribeStacks and GetTemplate as CloudFormation, and stops after the tests of the file.
 *
 * @param settings environment variables of a function of each stack, by the name of the stack
 * @returns its URL
 */
export async function startSimulatedCloudFormation(stacks: Stacks, settings: Stacks = {}): Promise<string> {
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    const query = new URLSearchParams(body);
    const name = query.get('StackName') ?? '';
    if (query.get('Action') === 'GetTemplate') {
      response.writeHead(200, { 'content-type': 'text/xml' }).end(template(settings[name] ?? {}));
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
function template(variables: Record<string, string>): string {
  const body = JSON.stringify({
    Resources: {
      Table: { Type: 'AWS::DynamoDB::GlobalTable', Properties: {} },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: { Environment: { Variables: { ...variables, TABLE_NAME: { Ref: 'Table' } } } },
      },
    },
  });
  const escaped = body.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return (
    `<GetTemplateResponse xmlns="${NAMESPACE}"><GetTemplateResult>` +
    `<TemplateBody>${escaped}</TemplateBody></GetTemplateResult></GetTemplateResponse>`
  );
}
