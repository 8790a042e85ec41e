import type { Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';

/**
 * Encrypts what a stack keeps with a key of the account: table, logs, queues, bus and topic. The functions may use it by DynamoDB
 * and SQS only; the policy of the key itself must permit the services: infra/README.md.
 *
 * @param key its ARN
 */
export function encryptWith(stack: Stack, key: string, functions: readonly LambdaFunction[]): void {
  for (const resource of stack.node.findAll()) {
    if (resource instanceof CfnTable) {
      resource.sseSpecification = { sseEnabled: true, sseType: 'KMS', kmsMasterKeyId: key };
    } else if (resource instanceof CfnQueue) {
      resource.sqsManagedSseEnabled = undefined;
      resource.kmsMasterKeyId = key;
    } else if (resource instanceof CfnLogGroup) {
      resource.kmsKeyId = key;
    } else if (resource instanceof CfnTopic) {
      resource.kmsMasterKeyId = key;
    } else if (resource instanceof CfnEventBus) {
      resource.kmsKeyIdentifier = key;
    }
  }
  const services = ['dynamodb', 'sqs'].map((name) => `${name}.${stack.region}.amazonaws.com`);
  for (const one of functions) {
    one.addToRolePolicy(
      new PolicyStatement({
        actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
        resources: [key],
        conditions: { StringEquals: { 'kms:ViaService': services } },
      }),
    );
  }
}
