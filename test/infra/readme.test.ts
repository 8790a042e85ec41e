import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { program } from '../../infra/local/options.ts';
import { LOCAL_CREDENTIALS } from '../../infra/local-credentials.ts';
import { applyCatalogue } from '../../lib/catalogue/apply.ts';
import { runAdmin } from '../support/admin.ts';
import { newTable } from '../support/bugless.ts';
import { dynamoDbEndpoint } from '../support/dynamodb-endpoint.ts';
import { parseNumbered } from '../support/numbered.ts';
import { startSimulatedCloudFormation } from '../support/simulated-cloudformation.ts';
import { aFile } from '../support/small-catalogue.ts';
import { inNewFolder } from '../support/start-process.ts';
import { WITHOUT_VALIDATION } from '../support/synthesize.ts';

const PROJECT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(PROJECT, 'infra/README.md'), 'utf8');
const run = promisify(execFile);

const operating = readFileSync(join(PROJECT, 'infra/OPERATING.md'), 'utf8');
const upgrading = readFileSync(join(PROJECT, 'infra/UPGRADING.md'), 'utf8');

const commands = [...`${readme}\n${operating}\n${upgrading}`.matchAll(/```sh\n(.*?)```/gs)].flatMap(
  ([, block = '']) => block.trim().split(/\n */),
);
/** Of the commands on the table that need no shell. */
const COMMAND = 'npm run -s admin -- ';
const beginningWith = (start: string) => commands.filter((command) => command.startsWith(start));

/** The users, the product, the comment and the attachment that the documents name. */
const by = { creator: 'ann@example.org', creation_time: '2026-01-02T03:04:05Z' };
const NAMED = {
  users: [{ login: by.creator }, { login: 'bob@example.org' }, { login: 'ann2@example.org' }],
  products: [
    {
      ...{ name: 'Rocket', description: 'Rocket', default_milestone: '---', versions: [{ name: '1' }] },
      milestones: [{ name: '---' }],
      components: [{ name: 'Engine', description: 'Engine', default_assigned_to: by.creator }],
    },
  ],
  bugs: [
    {
      ...{ id: 7, product: 'Rocket', component: 'Engine', version: '1', summary: 'It smokes' },
      ...{ reporter: by.creator, status: 'CONFIRMED' },
      comments: [
        { id: 4711, text: 'A password', ...by },
        { id: 4712, text: 'Created attachment 815', attachment_id: 815, ...by },
      ],
      attachments: [
        aFile(815, { file_name: 'log.txt', data: 'bG9n', ...by, last_change_time: by.creation_time }),
      ],
    },
  ],
};

describe('commands of infra/README.md, OPERATING.md and UPGRADING.md on the table:', () => {
  let environment: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const table = await newTable();
    await applyCatalogue(table, parseNumbered(NAMED));
    mkdirSync(join(PROJECT, '.local'), { recursive: true });
    environment = {
      ...LOCAL_CREDENTIALS,
      AWS_ENDPOINT_URL_CLOUDFORMATION: await startSimulatedCloudFormation({
        'Bugless-prod': { TableName: table.name },
        'Bugless-dev': { TableName: (await newTable()).name },
      }),
      DYNAMODB_ENDPOINT: dynamoDbEndpoint(),
      RESTORED: table.name,
    };
  });

  const onTable = commands.filter((command) => command.includes('npm run -s admin'));

  it('exist', () => expect(onTable.length).toBeGreaterThan(6));

  it.each(onTable)('%s', async (command) => {
    const given = command
      .replace('TABLE_NAME=bugless-restored', 'TABLE_NAME=$RESTORED')
      .replaceAll(/\b(everything\.ndjson|(?:saturn|rocket|field)\.json)/g, '.local/$1');
    if (given.startsWith(COMMAND)) {
      const args = [...given.slice(COMMAND.length).matchAll(/'([^']*)'|(\S+)/g)];
      const { code, stderr } = await runAdmin(
        args.map(([, quoted, plain]) => quoted ?? plain ?? ''),
        environment,
      );
      expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
      return;
    }
    // Without npm, which takes longer than the command.
    const npm = `npm() { shift 4; "${process.execPath}" infra/admin/main.ts "$@"; }`;
    await run('bash', ['-euc', `${npm}; ${given}`], {
      cwd: PROJECT,
      env: { ...process.env, ...environment },
    });
  });
});

describe('commands of infra/README.md for cdk', () => {
  const cdk = join(PROJECT, 'node_modules/.bin/cdk');

  const given = Map.groupBy(beginningWith('npx cdk'), (command) => command.split(' ')[2] ?? '');

  it('are subcommands that there are', async () => {
    const { stdout } = await run(cdk, ['--help']);
    expect(given.size).toBeGreaterThan(3);
    for (const subcommand of given.keys()) expect(stdout).toMatch(new RegExp(`^ +cdk ${subcommand} `, 'm'));
  });

  const withFlags = [...given].flatMap(([subcommand, all]) => {
    const flags = all.join(' ').match(/(?<= )--[a-z-]+/g) ?? [];
    return flags.length === 0 ? [] : [[subcommand, flags] as const];
  });

  it.each(withFlags)('of %s have valid flags: %j', async (subcommand, flags) => {
    const { stdout } = await run(cdk, [subcommand, '--help']);
    for (const flag of flags) expect(stdout).toContain(flag);
  });

  it('synthesize on the Node that runs cdk, and with stage, option and warning', () =>
    inNewFolder(async (folder) => {
      const args = ['synth', '-c', 'stage=dev', '-c', 'REQUIRE_LOGIN=true', '--output', folder];
      const env = { ...process.env, ...WITHOUT_VALIDATION };
      const { stdout, stderr } = await run(cdk, args, { cwd: PROJECT, env });
      expect(stdout).toContain('Bugless, dev');
      expect(stderr).toContain('infra/stages/dev.json does not have REQUIRE_LOGIN');
    }));

  it('report an invalid option without a stack trace', async () => {
    const failed = run(cdk, ['synth', '--quiet', '-c', 'Require_Login=true'], { cwd: PROJECT });
    const { stderr } = await failed.catch((error: { stderr: string }) => error);
    expect(stderr).toContain("'Require_Login'. Did you mean 'REQUIRE_LOGIN'?");
    expect(stderr).not.toContain('    at ');
  });
});

it('infra/README.md describes the options of npm start', () => {
  const local = readme.slice(readme.indexOf('## Local development'), readme.indexOf('## Design decisions'));
  const described = [...local.matchAll(/^\| `(--[a-z-]+)/gm)].map(([, flag]) => flag);
  const known = [...program.helpInformation().matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, flag]) => flag);
  expect(described.toSorted()).toEqual(known.filter((flag) => flag !== '--help').toSorted());
});

describe('infra/CHANGELOG.md', () => {
  const changelog = readFileSync(join(PROJECT, 'infra/CHANGELOG.md'), 'utf8');
  const sections = changelog.split(/^## /m).slice(1);
  const releases = sections.slice(1).map((section) => {
    const [, version = '', commit = ''] = /^(\S+)\n\nCommit `(\w+)`\./.exec(section) ?? [];
    return { version, commit };
  });
  const git = (...args: string[]) => spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  const hasHistory = git('rev-parse', '--is-shallow-repository').stdout.trim() === 'false';

  it.skipIf(!hasHistory)('names the commit of each version but the newest', () => {
    expect(releases.length).toBeGreaterThan(1);
    for (const { version, commit } of releases) {
      const { stdout } = git('show', `${commit}:package.json`);
      expect([commit, JSON.parse(stdout || '{}').version]).toEqual([commit, version]);
    }
  });

  it('names the commit of the rollback in UPGRADING.md', () => {
    expect(upgrading).toContain(`git checkout ${releases[0]?.commit}\n`);
  });
});
