import {
  HttpIntegrationType,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

/**
 * Integrates routes with a function that itself permits API Gateway to call it. CDK's HttpLambdaIntegration adds a
 * permission for each route, which soon exceeds the size of a function's policy, or one whose pattern does not
 * match `$default`.
 */
export class FunctionIntegration extends HttpRouteIntegration {
  readonly #target: IFunction;

  constructor(id: string, target: IFunction) {
    super(id);
    this.#target = target;
  }

  override bind(): HttpRouteIntegrationConfig {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      uri: this.#target.functionArn,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    };
  }
}
