import { Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { apiPath, type Route, type RouteGroup, routeKey, withHead } from '../../lib/http/routes.ts';
import { FunctionIntegration } from './function-integration.ts';
import { logGroupWithRetention } from './log-group.ts';

/** A route group with the function that serves its routes. */
interface DeployedGroup {
  routeGroup: RouteGroup;
  function: IFunction;
}

interface ApiProps {
  deployed: readonly DeployedGroup[];
  isDevelopment: boolean;
  /** the limit of each route; API Gateway answers 429 above it */
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
export class Api extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly accessLog: ILogGroup;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { deployed, isDevelopment, requestsPerSecond, hasDefaultEndpoint } = props;
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The functions authenticate with API keys, because much may be read anonymously',
    });
    this.api = new HttpApi(this, 'Api', {
      apiName: Stack.of(this).stackName,
      createDefaultStage: false,
      disableExecuteApiEndpoint: !hasDefaultEndpoint,
    });
    this.accessLog = logGroupWithRetention(this, 'AccessLog', isDevelopment);
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      // One limit for all routes: settings of a single route stay in the stage when the route is removed, and
      // API Gateway then refuses every later update of the stage.
      throttle: { rateLimit: requestsPerSecond, burstLimit: BURST_SECONDS * requestsPerSecond },
      accessLogSettings: {
        destination: new LogGroupLogDestination(this.accessLog),
        format: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    for (const { routeGroup, function: target } of deployed) this.#addRoutes(routeGroup, target);
  }

  #addRoutes(routeGroup: RouteGroup, target: IFunction): void {
    target.addPermission('CalledByApi', {
      principal: new ServicePrincipal('apigateway.amazonaws.com'),
      sourceArn: anyRouteOf(this.api),
    });
    const integration = new FunctionIntegration(routeGroup.name, target);
    for (const route of withHead(routeGroup.routes)) {
      new HttpRoute(this, routeKey(route), { httpApi: this.api, routeKey: apiRouteKey(route), integration });
    }
  }
}

/** The first `*` matches the stage, the second the method with the path, or `$default`. */
function anyRouteOf(api: HttpApi): string {
  return Stack.of(api).formatArn({ service: 'execute-api', resource: api.apiId, resourceName: '*/*' });
}

function apiRouteKey(route: Route): HttpRouteKey {
  if (route.path === '$default') return HttpRouteKey.DEFAULT;
  return HttpRouteKey.with(apiPath(route), HttpMethod[route.method]);
}
