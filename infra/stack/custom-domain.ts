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

/** A custom domain of the API. */
export class CustomDomain extends Construct {
  /** the host name that a DNS record of the domain must point to */
  readonly target: string;

  constructor(scope: Construct, id: string, { api, stage, domain, certificate }: CustomDomainProps) {
    super(scope, id);
    const domainName = new DomainName(this, 'Domain', {
      domainName: domain,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificate),
    });
    new ApiMapping(this, 'Mapping', { api, stage, domainName });
    this.target = domainName.regionalDomainName;
  }
}
