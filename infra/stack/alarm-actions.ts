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
export class AlarmActions extends Construct {
  readonly actions: readonly IAlarmAction[];

  constructor(scope: Construct, id: string, { alarmTopic, alarmEmail }: AlarmActionsProps) {
    super(scope, id);
    const topics: ITopic[] = [];
    if (alarmTopic !== '') topics.push(Topic.fromTopicArn(this, 'Given', alarmTopic));
    if (alarmEmail !== '') topics.push(this.#emailTopic(alarmEmail));
    if (topics.length === 0) {
      Annotations.of(this).addWarningV2(
        'bugless:alarms-not-sent',
        'Alarms are shown in CloudWatch only. Set alarmEmail or alarmTopic in the stage file to be notified.',
      );
    }
    this.actions = topics.map((topic) => new SnsAction(topic));
  }

  #emailTopic(address: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(address));
    // enforceSSL replaces the default topic policy, which let CloudWatch publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }
}
