import type { Stack } from 'aws-cdk-lib';
import { ApiMapping, DomainName, type HttpApi, type HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';

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
