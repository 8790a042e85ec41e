import { bugRepository } from './bugs/repository.ts';
import { tagRepository } from './comment-tags/repository.ts';
import { commentRepository } from './comments/repository.ts';
import { openTable } from './dynamodb/client.ts';
import { idempotency } from './http/idempotency.ts';
import { createLogger } from './logger.ts';
import { productRepository } from './products/repository.ts';
import { readSettings } from './settings.ts';
import { userRepository } from './users/repository.ts';

type Environment = Record<string, string | undefined>;

const now = () => new Date();

function common(environment: Environment) {
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
      log: createLogger(settings.REQUEST_LOG, settings.SERVICE_NAME),
      now,
    },
  };
}

/** What the product endpoints work with, of the function's environment. */
export function productServices(environment: Environment) {
  const { table, services } = common(environment);
  return { ...services, products: productRepository(table), once: idempotency(table, now) };
}
export type ProductServices = ReturnType<typeof productServices>;

/** What the comment endpoints work with. */
export function commentServices(environment: Environment) {
  const { table, services } = common(environment);
  return {
    ...services,
    bugs: bugRepository(table, now),
    comments: commentRepository(table, now),
    products: productRepository(table),
    once: idempotency(table, now),
  };
}
export type CommentServices = ReturnType<typeof commentServices>;

/** What the comment-tag endpoints work with. */
export function tagServices(environment: Environment) {
  const { table, services } = common(environment);
  return {
    ...services,
    bugs: bugRepository(table, now),
    comments: commentRepository(table, now),
    tags: tagRepository(table),
  };
}
export type TagServices = ReturnType<typeof tagServices>;

/** What the service-information endpoints work with. */
export function infoServices(environment: Environment) {
  return common(environment).services;
}
export type InfoServices = ReturnType<typeof infoServices>;
