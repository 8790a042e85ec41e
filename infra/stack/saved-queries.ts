import type { Stack } from 'aws-cdk-lib';
import { type ILogGroup, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

interface SavedQueriesProps {
  accessLog: ILogGroup;
  /** the log groups of all functions */
  logs: readonly ILogGroup[];
}

/** What the saved query of one id has in the place of the id. */
const ID = 'PUT-THE-ID-HERE';

const ERROR_FIELDS = ['message', 'request_id', 'bug', 'error.name', 'error.message'];

/** Adds two saved queries of CloudWatch Logs Insights: the errors of all functions, and all lines with one id. */
export function addSavedQueries(stack: Stack, { accessLog, logs }: SavedQueriesProps): void {
  const scope = new Construct(stack, 'SavedQueries');
  new QueryDefinition(scope, 'Errors', {
    queryDefinitionName: `${stack.stackName}/errors`,
    queryString: new QueryString({
      fields: ['@timestamp', '@log', ...ERROR_FIELDS, '@message'],
      filterStatements: ['level = "ERROR" or (type = "platform.report" and record.status != "success")'],
      sort: '@timestamp desc',
      limit: 200,
    }),
    logGroups: [...logs],
  });
  new QueryDefinition(scope, 'OneId', {
    queryDefinitionName: `${stack.stackName}/one id`,
    queryString: new QueryString({
      fields: ['@timestamp', '@log', '@message'],
      filterStatements: [`@message like "${ID}"`],
      sort: '@timestamp asc',
      limit: 1_000,
    }),
    logGroups: [accessLog, ...logs],
  });
}
