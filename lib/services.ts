import { bugStore } from './bugs/repository.ts';
import { commentStore } from './comments/repository.ts';
import { tagStore } from './comment-tags/repository.ts';
import { openTable } from './dynamodb/client.ts';
import { onlyOnce } from './http/idempotency.ts';
import { openLog } from './logger.ts';
import { productStore } from './products/repository.ts';
import { readSettings } from './settings.ts';
import { userStore } from './users/repository.ts';

type Environment = Record<string, string | undefined>;

const now = () => new Date();

function common(environment: Environment) {
  const settings = readSettings(environment);
  const table = openTable(
    settings.TABLE_NAME,
    settings.DYNAMODB_ENDPOINT,
    settings.DATABASE_PATIENCE_MILLISECONDS,
  );
  return {
    table,
    services: {
      settings,
      users: userStore(table, now),
      log: openLog(settings.REQUEST_LOG, settings.SERVICE_NAME),
      now,
    },
  };
}

/** What the product endpoints work with, of the function's environment. */
export function productServices(environment: Environment) {
  const { table, services } = common(environment);
  return { ...services, products: productStore(table), once: onlyOnce(table, now) };
}
export type ProductServices = ReturnType<typeof productServices>;

/** What the comment endpoints work with. */
export function commentServices(environment: Environment) {
  const { table, services } = common(environment);
  return {
    ...services,
    bugs: bugStore(table, now),
    comments: commentStore(table, now),
    products: productStore(table),
    once: onlyOnce(table, now),
  };
}
export type CommentServices = ReturnType<typeof commentServices>;

/** What the comment-tag endpoints work with. */
export function tagServices(environment: Environment) {
  const { table, services } = common(environment);
  return {
    ...services,
    bugs: bugStore(table, now),
    comments: commentStore(table, now),
    tags: tagStore(table),
  };
}
export type TagServices = ReturnType<typeof tagServices>;

/** What the service-information endpoints work with. */
export function infoServices(environment: Environment) {
  return common(environment).services;
}
export type InfoServices = ReturnType<typeof infoServices>;
