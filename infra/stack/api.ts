import { Stack, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type Group, type Route, routeKey } from '../../lib/http/routes.ts';
import { FunctionIntegration } from './function-integration.ts';
import { logGroupWithRetention } from './log-group.ts';

/** A group with the function that serves its routes. */
export interface DeployedGroup {
  group: Group;
  function: IFunction;
}

/**
 * What the log has of each request: also of those that no function saw. Neither query nor headers, which
 * may hold credentials.
 */
const ACCESS_LOG = JSON.stringify({
  request_id: '$context.requestId',
  time: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  milliseconds: '$context.responseLatency',
  bytes: '$context.responseLength',
  error: '$context.error.message',
});

/** Requests a second, and at once, that API Gateway lets through to a route; more get 429. */
const EVERY_ROUTE = { rate: 500, burst: 1_000 };
/** Writing costs the most: nobody's script should be able to run up a bill. */
const WRITING_ROUTES = { rate: 100, burst: 300 };

/** The HTTP API. Without CORS, which the functions answer: configured here, API Gateway would drop their headers. */
export class Api extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, deployed: readonly DeployedGroup[], isDevelopment: boolean) {
    super(scope, id);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'The functions find out who asks, by API key: much may be read by anybody',
    });
    const httpApi = new HttpApi(this, 'Api', { apiName: 'Bugless', createDefaultStage: false });
    const stage = new HttpStage(this, 'Stage', {
      httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: EVERY_ROUTE.rate, burstLimit: EVERY_ROUTE.burst },
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroupWithRetention(this, 'AccessLog', isDevelopment)),
        format: AccessLogFormat.custom(ACCESS_LOG),
      },
    });
    this.api = httpApi;
    this.stage = stage;
    for (const { group, function: target } of deployed) {
      target.addPermission('CalledByApi', {
        principal: new ServicePrincipal('apigateway.amazonaws.com'),
        sourceArn: anyRouteOf(httpApi),
      });
      const integration = new FunctionIntegration(group.name, target);
      for (const route of group.routes) {
        const httpRoute = new HttpRoute(this, routeKey(route), {
          httpApi,
          routeKey: apiRouteKey(route),
          integration,
        });
        if (isWriting(route)) throttle(stage, routeKey(route), httpRoute);
      }
    }
  }
}

/** Two stars: the stage, and the method with the path or `$default`. */
function anyRouteOf(api: HttpApi): string {
  return Stack.of(api).formatArn({ service: 'execute-api', resource: api.apiId, resourceName: '*/*' });
}

function apiRouteKey({ method, path }: Route): HttpRouteKey {
  return path === '$default' ? HttpRouteKey.DEFAULT : HttpRouteKey.with(path, HttpMethod[method]);
}

const isWriting = ({ method }: Route): boolean => method === 'POST' || method === 'PUT';

/** Sets a route's own limits; the stage wants the route to be there before. */
function throttle(stage: HttpStage, key: string, route: HttpRoute): void {
  const { defaultChild } = stage.node;
  if (!CfnStage.isCfnStage(defaultChild)) throw new Error('The stage is not what it was in CDK');
  defaultChild.addPropertyOverride(`RouteSettings.${key}`, {
    ThrottlingRateLimit: WRITING_ROUTES.rate,
    ThrottlingBurstLimit: WRITING_ROUTES.burst,
  });
  stage.node.addDependency(route);
}
