import { Duration, SecretValue, Stack } from 'aws-cdk-lib';
import {
  ApiDestination,
  Authorization,
  Connection,
  type EventBus,
  EventField,
  HttpMethod,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import {
  eventPattern,
  ruleDescription,
  type Webhook,
  webhookBody,
} from '../../../lib/changes/events/webhooks.ts';
import { allowRules, deadLetterQueue } from './queues.ts';

/** EventBridge's own maximum. */
const RETRY_POLICY = {
  maximumEventAgeInSeconds: Duration.hours(24).toSeconds(),
  maximumRetryAttempts: 185,
};

/**
 * A rule, a connection and an API destination for each webhook. They share a role and a dead-letter queue: a stack has
 * 500 resources at most.
 */
export function addWebhooks(scope: Construct, bus: EventBus, webhooks: readonly Webhook[]) {
  // Gets events that no attempt delivered, of all webhooks: each message names its rule.
  const failed = deadLetterQueue(scope, 'Failed');
  const rules = { service: 'events', resource: 'rule', resourceName: `${bus.eventBusName}/*` };
  allowRules(failed, Stack.of(scope).formatArn(rules));
  const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('events.amazonaws.com') });
  const deployed = webhooks.map((webhook, index) => {
    const own = new Construct(scope, webhook.name);
    const destination = apiDestination(own, webhook);
    const { 'detail-type': detailType, ...pattern } = eventPattern(webhook);
    const target = {
      arn: destination.apiDestinationArn,
      role,
      // EventBridge inserts each part as JSON, because the template has no quotes around it.
      input: RuleTargetInput.fromObject(
        webhookBody(webhook, index + 1, {
          id: EventField.fromPath('$.detail.id'),
          revision: EventField.fromPath('$.detail.revision'),
          event: EventField.fromPath('$.detail.event'),
          bug: EventField.fromPath('$.detail.bug'),
        }),
      ),
      deadLetterConfig: { arn: failed.queueArn },
      retryPolicy: RETRY_POLICY,
    };
    const rule = new Rule(own, 'Rule', {
      eventBus: bus,
      description: ruleDescription(webhook.name),
      eventPattern: { detailType, ...pattern },
      targets: [{ bind: () => target }],
    });
    return { rule, destination };
  });
  role.addToPolicy(
    new PolicyStatement({
      actions: ['events:InvokeApiDestination'],
      resources: deployed.map(({ destination }) => destination.apiDestinationArn),
    }),
  );
  return { rules: deployed.map(({ rule }) => rule), failed };
}

function apiDestination(
  scope: Construct,
  { url, header, secret, requestsPerSecond }: Webhook,
): ApiDestination {
  const connection = new Connection(scope, 'Connection', {
    // CloudFormation resolves it, so that the template does not have the secret.
    authorization: Authorization.apiKey(header, SecretValue.secretsManager(secret)),
  });
  return new ApiDestination(scope, 'Destination', {
    connection,
    endpoint: url,
    httpMethod: HttpMethod.POST,
    rateLimitPerSecond: requestsPerSecond,
  });
}
