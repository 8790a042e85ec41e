import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { buildApp } from '../../infra/stack/build-app.ts';
import { compareWithDeployed } from '../../infra/stack/compare-with-deployed.ts';
import { SIMULATED_ACCOUNT, startSimulatedCloudFormation } from '../support/simulated-cloudformation.ts';
import { inNewFolder } from '../support/start-process.ts';
import { synthesize, type Template, WITHOUT_VALIDATION, withoutBundles } from '../support/synthesize.ts';

const PROJECT = join(import.meta.dirname, '../..');

const OPTIONS = {
  REQUIRE_LOGIN: true,
  explorer: false,
  alarmEmail: 'team@example.org',
  monthlyBudget: 20,
  domain: 'bugs.example.org',
  certificate: 'arn:aws:acm:eu-central-1:123456789012:certificate/1',
  webhooks: [
    { name: 'jira', url: 'https://jira.example.org/hook?token=hidden', secret: 'bugless/jira' },
    { name: 'chat', url: 'https://chat.example.org/hook', secret: 'bugless/chat' },
  ],
  mail: { from: 'bugs@example.org', replyTo: 'help@example.org' },
};
const NEWER = { ...OPTIONS, optionOfTomorrow: '1' };

/** Templates by the names of stages, which have a stack each. */
const templates: Record<string, object> = {};
let url: string;
beforeAll(async () => {
  const { template } = synthesize({}, OPTIONS);
  const recorded = { ...template.Metadata?.BuglessOptions, optionOfTomorrow: NEWER.optionOfTomorrow };
  Object.assign(templates, {
    'Bugless-prod': template,
    'Bugless-newer': { ...template, Metadata: { BuglessOptions: recorded } },
  });
  url = await startSimulatedCloudFormation({}, {}, templates);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** The errors and warnings of the comparison. */
async function compare(
  file: Record<string, unknown>,
  context: Record<string, string> = {},
  environment: Record<string, string> = {},
): Promise<string[]> {
  const variables = {
    ...LOCAL_CREDENTIALS,
    AWS_ENDPOINT_URL: url,
    CDK_DEFAULT_ACCOUNT: SIMULATED_ACCOUNT,
    CDK_DEFAULT_REGION: 'eu-central-1',
    ...environment,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { stack, configuration } = buildApp({ context: { ...withoutBundles, ...context } }, () => file);
  const before = stack.node.metadata.length;
  await compareWithDeployed(stack, configuration);
  return stack.node.metadata.slice(before).map(({ type, data }) => `${type.split(':').at(-1)}: ${data}`);
}

const without = (...names: (keyof typeof OPTIONS)[]) =>
  Object.fromEntries(Object.entries(OPTIONS).filter(([name]) => !names.some((one) => one === name)));

describe('a deployment', () => {
  it.each([
    ['keeps every option', OPTIONS, {}],
    ['has an option more', { ...OPTIONS, INSIDER_GROUP: 'staff' }, {}],
    ['changes a value', { ...OPTIONS, alarmEmail: 'other@example.org' }, {}],
    ['has the option from -c', without('REQUIRE_LOGIN'), { REQUIRE_LOGIN: 'true' }],
    ['says what it takes away', {}, { allow: Object.keys(OPTIONS).join(',') }],
    ['says one key of an object', { ...OPTIONS, mail: { from: 'b@example.org' } }, { allow: 'mail.replyTo' }],
    ['is the first of its stage', {}, { stage: 'first' }],
  ])('that %s goes on', async (_, file, context) => {
    expect(await compare(file, context)).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, string]>([
    ['lacks the login', without('REQUIRE_LOGIN'), {}, 'REQUIRE_LOGIN=true'],
    ['has the login with another value', { ...OPTIONS, REQUIRE_LOGIN: false }, {}, 'REQUIRE_LOGIN=true'],
    ['takes the login by -c', OPTIONS, { REQUIRE_LOGIN: 'false' }, 'REQUIRE_LOGIN=true'],
    ['has a webhook less', { ...OPTIONS, webhooks: OPTIONS.webhooks.slice(0, 1) }, {}, 'webhooks.chat'],
    ['allows something else', without('explorer'), { allow: 'explore' }, 'explorer=false'],
    ['knows an option no longer', OPTIONS, { stage: 'newer' }, 'optionOfTomorrow=1'],
  ])('that %s stops', async (_, file, context, taken) => {
    const stage = context['stage'] ?? 'prod';
    expect(await compare(file, context)).toEqual([
      expect.stringMatching(
        new RegExp(`^error: Bugless-${stage} is deployed with ${taken}, .*stages/${stage}.json .* -c allow=`),
      ),
    ]);
  });

  it('of an empty file names all that it would take away, and how to say that this is meant', async () => {
    const [message = ''] = await compare({});
    const paths = ['webhooks.jira', 'webhooks.chat', 'mail.from', 'mail.replyTo'];
    const names = Object.keys(without('webhooks', 'mail')).concat(paths);
    expect(message).toContain(`-c allow=${names.join(',')}`);
    expect(await compare({}, { allow: names.join(', ') })).toEqual([]);
  });
});

it.each([
  ['without credentials', { CDK_DEFAULT_ACCOUNT: '' }, 'there are no AWS credentials'],
  ['with credentials of another account', { CDK_DEFAULT_ACCOUNT: '210987654321' }, 'AWS_PROFILE'],
  ['without a network', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, 'ECONNREFUSED'],
])('%s, a deployment is warned and goes on', async (_, environment, reason) => {
  expect(await compare({}, {}, environment)).toEqual([
    expect.stringMatching(new RegExp(`^warning: The options are not compared .*${reason}`)),
  ]);
});

it('cdk deploy stops at the error', async () => {
  const cdk = join(PROJECT, 'node_modules/.bin/cdk');
  const environment = {
    ...process.env,
    ...LOCAL_CREDENTIALS,
    ...WITHOUT_VALIDATION,
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: url,
  };
  await inNewFolder(async (folder) => {
    const options = { cwd: PROJECT, env: { ...environment, HOME: folder } };
    const failed = promisify(execFile)(cdk, ['deploy', '--output', folder], options);
    await expect(failed).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /Bugless-prod is deployed with REQUIRE_LOGIN=true.*Synthesis finished with errors/s,
      ),
    });
  });
});

it('the template keeps no address of a webhook beside the resource that calls it', () => {
  const { Metadata } = templates['Bugless-prod'] as Template;
  expect(JSON.stringify(Metadata)).toContain('webhooks.jira');
  expect(JSON.stringify(Metadata)).not.toContain('hidden');
});
