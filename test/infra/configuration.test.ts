import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readTemplate } from '../../infra/local/bundled/template.ts';
import { optionNames } from '../../infra/stack/configuration-schema.ts';
import { parseStageFile, readStageFile } from '../../infra/stack/stage-file.ts';
import { readSettings } from '../../lib/settings.ts';
import { type Synthesized, synthesized } from '../support/synthesize.ts';

const settingsOf = ({ template }: Synthesized) => {
  const [first] = readTemplate(template, 'bugless').functions;
  return readSettings(first?.environment ?? {});
};

describe('the options of a stage', () => {
  it('come from its file, so that a deployment without -c keeps them', () => {
    const stack = synthesized({}, { REQUIRE_LOGIN: true, bugs: false, requestsPerSecond: 20 });
    expect(settingsOf(stack)).toMatchObject({ REQUIRE_LOGIN: true, LEFT_OUT_GROUPS: ['bugs'] });
    expect(stack.messages.filter((message) => message.includes('-c'))).toEqual([]);
  });

  it('are overridden by -c for one deployment, with a warning', () => {
    const stack = synthesized({ REQUIRE_LOGIN: 'false', INSIDER_GROUP: 'staff' }, { REQUIRE_LOGIN: true });
    expect(settingsOf(stack)).toMatchObject({ REQUIRE_LOGIN: false, INSIDER_GROUP: 'staff' });
    expect(stack.messages).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^warning: -c REQUIRE_LOGIN=false .*infra\/stages\/prod\.json has REQUIRE_LOGIN=true/,
        ),
        expect.stringMatching(/^warning: -c INSIDER_GROUP=staff .*infra\/stages\/prod\.json does not have/),
      ]),
    );
  });

  it('give no warning when -c equals the file', () => {
    const { messages } = synthesized({ REQUIRE_LOGIN: 'true' }, { REQUIRE_LOGIN: true });
    expect(messages.filter((message) => message.includes('REQUIRE_LOGIN'))).toEqual([]);
  });

  it('are an error without a file, which names those that there are', () => {
    expect(() => synthesized({ stage: 'nope' }, null)).toThrow(
      'There is no infra/stages/nope.json. Create it, or choose one of infra/stages/dev.json, infra/stages/prod.json',
    );
  });

  it('are the defaults without a file in development stages', () => {
    expect(synthesized({ stage: 'dev-anna' }, null).messages).toEqual([]);
  });

  it.each([
    [
      '{\n  "mail": {\n}',
      "Expected ',' or '}' after property value in JSON at position 15 (line 3 column 2)",
    ],
    ['{\n  "events": yes\n}', `Unexpected token 'y', "{\\u000a  "events": yes\\u000a}" is not valid JSON`],
    ['', 'Unexpected end of JSON input'],
  ])('%j are refused on one line with what is wrong', (text, reason) => {
    expect(() => parseStageFile('infra/stages/x.json', text)).toThrow(`infra/stages/x.json: ${reason}`);
  });

  it('may begin with a byte order mark', () => {
    expect(parseStageFile('x.json', '\uFEFF{"events": true}')).toEqual({ events: true });
  });

  it('are a JSON object', () => {
    expect(() => parseStageFile('x.json', '[]')).toThrow('x.json must be a JSON object');
  });

  it.each(['prod', 'dev'])('are read from the file of the stage %s that the project has', (stage) => {
    expect(readStageFile(stage)).toEqual({});
    expect(readStageFile('nosuch')).toBeUndefined();
  });
});

describe('synthesis stops at', () => {
  it.each([
    [{ INSIDER_GRUOP: 'x' }, "'INSIDER_GRUOP'. Did you mean 'INSIDER_GROUP'?"],
    [{ Stage: 'dev' }, "'Stage'. Did you mean 'stage'?"],
    [{ require_login: 'true' }, "'require_login'. Did you mean 'REQUIRE_LOGIN'?"],
    [{ alarmtopic: 'x' }, "'alarmtopic'. Did you mean 'alarmTopic'?"],
    [{ TABLE_NAME: 'mine' }, "'TABLE_NAME'. Known names: "],
    [{ REQUIRE_LOGIN: 'maybe' }, 'REQUIRE_LOGIN'],
    [{ MAX_ATTACHMENT_BYTES: 'abc' }, "must be an integer, not 'abc'"],
    [{ DOCUMENTATION_URL: 'not a URL' }, 'DOCUMENTATION_URL'],
    [{ DEFAULT_MILESTONE: 'x'.repeat(65) }, 'DEFAULT_MILESTONE'],
    [{ INSIDER_GROUP: ['a'] }, 'INSIDER_GROUP'],
    [{ stage: 'Prod 1' }, 'stage'],
    [{ stage: '' }, 'stage'],
    [{ explorer: 'maybe' }, 'explorer'],
    [{ bugs: 'perhaps' }, 'bugs'],
    [{ alarmTopic: 'on-call' }, 'alarmTopic'],
    [{ alarmEmail: 'on-call' }, 'alarmEmail'],
    [{ maxWriteRequestUnits: '-1' }, 'maxWriteRequestUnits'],
    [{ requestsPerSecond: 'none' }, 'requestsPerSecond'],
    [{ domain: 'bugs.example.org' }, 'certificate'],
    [{ keepDefaultEndpoint: 'maybe' }, 'keepDefaultEndpoint'],
    [{ readOnly: 'maybe' }, 'readOnly'],
    [{ READ_ONLY: 'true' }, 'READ_ONLY'],
    [{ monthlyBudget: '0' }, 'monthlyBudget'],
    [{ monthlyBudget: 20 }, 'alarmEmail'],
    [{ stage: 'dev', table: 'restored' }, 'development'],
  ])('the context %j', (context, message) => {
    expect(() => synthesized(context)).toThrow(message);
  });

  it.each([
    [{ Require_Login: true }, "infra/stages/prod.json has the unknown name 'Require_Login'"],
    [{ stage: 'prod' }, "infra/stages/prod.json has the unknown name 'stage'"],
    [{ '@aws-cdk/flag': true }, 'infra/stages/prod.json has the unknown name'],
    [{ REQUIRE_LOGIN: 'maybe' }, 'REQUIRE_LOGIN'],
  ])('the stage file %j', (file, message) => {
    expect(() => synthesized({}, file)).toThrow(message);
  });

  it("none of CDK's own context names", () => {
    const context = {
      '@aws-cdk/core:newFlag': true,
      'aws:cdk:enable-asset-metadata': true,
      'aws-cdk:enableDiffNoFail': 'true',
      'availability-zones:account=1:region=eu-west-1': [],
      'cli-telemetry': false,
      'acknowledged-issue-numbers': [1],
    };
    expect(() => synthesized(context)).not.toThrow();
  });
});

it('the CDK sends no telemetry', () => {
  const app = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  expect(app).toMatchObject({
    ...{ versionReporting: false, notices: false },
    context: { 'cli-telemetry': false },
  });
});

describe('an existing table', () => {
  it('replaces that of the stack, and is the only one that the functions may access', () => {
    const { template, ofType, messages } = synthesized({}, { table: 'restored' });
    expect(ofType('AWS::DynamoDB::Table')).toEqual([]);
    expect(template.Outputs['TableName']?.Value).toBe('restored');
    for (const [, { Properties }] of ofType('AWS::Lambda::Function')) {
      expect(Properties.Environment.Variables.TABLE_NAME).toBe('restored');
    }
    const resources = ofType('AWS::IAM::Policy')
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => String(Action).includes('dynamodb:'))
      .map(({ Resource }) => JSON.stringify(Resource));
    expect(new Set(resources.map((arn) => arn.includes(':table/restored"')))).toEqual(new Set([true]));
    expect(messages.filter((message) => message.includes('table'))).toEqual([]);
  });

  it('that is set by -c only gives a warning: the next deployment would use another one', () => {
    const { messages } = synthesized({ table: 'restored' });
    expect(messages).toContainEqual(expect.stringMatching(/^warning: -c table=restored .*another table/));
  });
});

it('infra/README.md describes every option', () => {
  const readme = readFileSync(join(import.meta.dirname, '../../infra/README.md'), 'utf8');
  for (const name of optionNames) expect(readme).toContain(`\`${name}\``);
});
