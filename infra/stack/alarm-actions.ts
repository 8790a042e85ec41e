import { Annotations, Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';

interface AlarmActionsProps {
  /** ARN of an existing SNS topic; '' for none */
  alarmTopic: string;
  /** email address; '' for none */
  alarmEmail: string;
}

/** Where alarms are sent: an existing SNS topic, an email address, or both. Warns at synthesis about neither. */
export function alarmActions(stack: Stack, { alarmTopic, alarmEmail }: AlarmActionsProps): IAlarmAction[] {
  const scope = new Construct(stack, 'AlarmActions');
  const topics: ITopic[] = [];
  if (alarmTopic !== '') topics.push(Topic.fromTopicArn(scope, 'Given', alarmTopic));
  if (alarmEmail !== '') topics.push(emailTopic(scope, alarmEmail));
  if (topics.length === 0) {
    Annotations.of(scope).addWarningV2(
      'bugless:alarms-not-sent',
      'Alarms are shown in CloudWatch only. Set alarmEmail or alarmTopic in the stage file to be notified.',
    );
  }
  return topics.map((topic) => new SnsAction(topic));
}

function emailTopic(scope: Construct, address: string): Topic {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(address));
  // enforceSSL replaces the default topic policy, which let CloudWatch publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
}
