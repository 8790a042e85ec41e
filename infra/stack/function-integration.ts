import {
  HttpIntegrationType,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';

// CDK's own integration allows API Gateway either each route by itself, which soon fills a function's policy,
// or all paths of three parts and more, and `$default` is none.
/** Sends routes to a function, which must itself allow API Gateway to call it. */
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
