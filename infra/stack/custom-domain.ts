import { CfnOutput } from 'aws-cdk-lib';
import { ApiMapping, DomainName, type HttpApi, type HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { Construct } from 'constructs';

interface CustomDomainProps {
  api: HttpApi;
  stage: HttpStage;
  domain: string;
  /** ARN of its certificate in ACM, of the stack's region */
  certificate: string;
}

/** The API under a name of one's own; where that name has to point is an output of the stack. */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, { api, stage, domain, certificate }: CustomDomainProps) {
    super(scope, id);
    const domainName = new DomainName(this, 'Domain', {
      domainName: domain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
    });
    new ApiMapping(this, 'Mapping', { api, stage, domainName });
    new CfnOutput(this, 'PointTo', {
      value: domainName.regionalDomainName,
      description: `Where a CNAME or alias record of ${domain} points`,
    });
  }
}
