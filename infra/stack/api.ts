import { type Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpIntegrationType,
  HttpMethod,
  HttpRoute,
  HttpRouteIntegration,
  type HttpRouteIntegrationConfig,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import * as z from 'zod';
import { type EndpointGroup, gatewayRouteKeys } from '../../lib/http/routes.ts';
import { logGroupWithRetention } from './log-group.ts';

interface ApiProps {
  /** endpoint groups, each with the function that serves its routes */
  deployed: readonly { endpointGroup: EndpointGroup; function: IFunction }[];
  isDevelopment: boolean;
  /** the limit of each route; API Gateway returns 429 above it */
  requestsPerSecond: number;
  /** whether the API has API Gateway's own address, beside a custom domain */
  hasDefaultEndpoint: boolean;
}

/**
 * One line for each request, also for those that reach no function. No query and no other headers: they may hold
 * credentials.
 */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  time: '$context.requestTime',
  source: '$context.identity.sourceIp',
  user_agent: '$context.identity.userAgent',
  route: '$context.routeKey',
  status: '$context.status',
  milliseconds: '$context.responseLatency',
  bytes: '$context.responseLength',
  error: '$context.error.message',
});

/** How many seconds' worth of requests may arrive at once. */
const BURST_SECONDS = 3;

/** The HTTP API. It has no CORS configuration: API Gateway would then drop the CORS headers of the functions. */
export function apiOf(stack: Stack, props: ApiProps) {
  const { deployed, isDevelopment, requestsPerSecond, hasDefaultEndpoint } = props;
  const scope = new Construct(stack, 'Http');
  Validations.of(scope).acknowledge({
    id: 'AwsSolutions::AwsSolutions-APIG4',
    reason: 'The functions authenticate with API keys, because much may be read anonymously',
  });
  const api = new HttpApi(scope, 'Api', {
    apiName: stack.stackName,
    createDefaultStage: false,
    disableExecuteApiEndpoint: !hasDefaultEndpoint,
  });
  const accessLog = logGroupWithRetention(scope, 'AccessLog', isDevelopment);
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    // One limit for all routes: settings of a single route stay in the stage when the route is removed, and
    // API Gateway then refuses every later update of the stage.
    throttle: { rateLimit: requestsPerSecond, burstLimit: BURST_SECONDS * requestsPerSecond },
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(ACCESS_LOG),
    },
  });
  // The first `*` matches the stage, the second the method with the path, or `$default`.
  const sourceArn = stack.formatArn({ service: 'execute-api', resource: api.apiId, resourceName: '*/*' });
  for (const { endpointGroup, function: target } of deployed) {
    const principal = new ServicePrincipal('apigateway.amazonaws.com');
    target.addPermission('CalledByApi', { principal, sourceArn });
    const permission = target.node.findChild('CalledByApi');
    const integration = new FunctionIntegration(endpointGroup.name, target);
    for (const key of gatewayRouteKeys(endpointGroup.routes)) {
      const props = { httpApi: api, routeKey: apiRouteKey(key), integration };
      // Without it, requests to a new function would get 500 for a moment.
      new HttpRoute(scope, key, props).node.addDependency(permission);
    }
  }
  return { api, stage, accessLog };
}

function apiRouteKey(key: string): HttpRouteKey {
  if (key === '$default') return HttpRouteKey.DEFAULT;
  const [method, path = ''] = key.split(' ');
  return HttpRouteKey.with(path, z.enum(HttpMethod).parse(method));
}

/**
 * Integrates routes with a function that itself permits API Gateway to call it. CDK's HttpLambdaIntegration adds a
 * permission for each route, which soon exceeds the size of a function's policy, or one whose pattern does not
 * match `$default`.
 */
class FunctionIntegration extends HttpRouteIntegration {
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

interface CustomDomainProps {
  api: HttpApi;
  stage: HttpStage;
  domain: string;
  /** ARN of its certificate in ACM, in the region of the stack */
  certificate: string;
}

/**
 * Adds a custom domain of the API.
 *
 * @returns the host name that a DNS record of the domain must point to
 */
export function addCustomDomain(stack: Stack, props: CustomDomainProps): string {
  const { api, stage, domain, certificate } = props;
  const scope = new Construct(stack, 'CustomDomain');
  const domainName = new DomainName(scope, 'Domain', {
    domainName: domain,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificate),
  });
  new ApiMapping(scope, 'Mapping', { api, stage, domainName });
  return domainName.regionalDomainName;
}
