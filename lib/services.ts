import { bugChanges } from './bugs/change/change-bugs.ts';
import { BUILT_IN_FIELDS, bugFields } from './bugs/fields/registry.ts';
import { bugRepository } from './bugs/repository.ts';
import { bugSearch } from './bugs/search/search.ts';
import { bugSettingsRepository } from './bugs/settings-repository.ts';
import { tagRepository } from './comment-tags/repository.ts';
import { commentRepository } from './comments/repository.ts';
import { openTable, type Table } from './dynamodb/client.ts';
import { idempotent } from './http/idempotency.ts';
import { idempotencyRepository } from './idempotency/repository.ts';
import { createLogger } from './logger.ts';
import { productRepository } from './products/repository.ts';
import { readSettings } from './settings.ts';
import { userRepository } from './users/repository.ts';

type Environment = Record<string, string | undefined>;

const now = () => new Date();

function commonServices(environment: Environment) {
  const settings = readSettings(environment);
  const table = openTable(
    settings.TABLE_NAME,
    settings.DYNAMODB_ENDPOINT,
    settings.DATABASE_RETRY_TIMEOUT_MS,
  );
  return {
    table,
    services: {
      settings,
      users: userRepository(table, now),
      logger: createLogger(settings.REQUEST_LOG, settings.SERVICE_NAME),
      now,
    },
  };
}

/** Services of the product endpoints. */
export function productServices(environment: Environment) {
  const { table, services } = commonServices(environment);
  return {
    ...services,
    products: productRepository(table, now),
    idempotent: idempotent(idempotencyRepository(table, now), now),
  };
}
export type ProductServices = ReturnType<typeof productServices>;

/** Services of the comment endpoints. */
export function commentServices(environment: Environment) {
  const { table, services } = commonServices(environment);
  return { ...services, ...commentRepositories(table) };
}
export type CommentServices = ReturnType<typeof commentServices>;

/** Services of the bug endpoints. */
export function bugServices(environment: Environment) {
  const { table, services } = commonServices(environment);
  const repositories = commentRepositories(table);
  const bugSettings = bugSettingsRepository(table);
  const tags = tagRepository(table);
  const fields = bugFields(BUILT_IN_FIELDS);
  return {
    ...services,
    ...repositories,
    bugSettings,
    search: bugSearch(table, { ...services, ...repositories }),
    tags,
    fields,
    changes: bugChanges(
      { ...services, ...repositories, bugSettings, tags },
      fields,
      services.settings.DATABASE_RETRY_TIMEOUT_MS,
    ),
  };
}
export type BugServices = ReturnType<typeof bugServices>;

function commentRepositories(table: Table) {
  return {
    bugs: bugRepository(table, now),
    comments: commentRepository(table),
    products: productRepository(table, now),
    idempotent: idempotent(idempotencyRepository(table, now), now),
  };
}

/** Services of the comment-tag endpoints. */
export function tagServices(environment: Environment) {
  const { table, services } = commonServices(environment);
  return {
    ...services,
    bugs: bugRepository(table, now),
    tags: tagRepository(table),
  };
}
export type TagServices = ReturnType<typeof tagServices>;

/** Services of the endpoints that only need users and settings. */
export function infoServices(environment: Environment) {
  return commonServices(environment).services;
}
export type InfoServices = ReturnType<typeof infoServices>;
